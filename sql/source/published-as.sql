-- By which entries publication $1 lists each table that could be captured, and what is set of it as a whole. $2 to $3: the schemas
-- whose tables it lists all, with the oids of these entries. An entry that is taken out and put in again has another oid, a table that
-- is moved to another schema and back another dependency on its own, and `xmin` is another one after each
-- `alter publication ... set (...)`. Catalogs alone, no locks.
with recursive publication as (
  select p.oid, p.puballtables as all_tables,
         jsonb_build_object('xmin', p.xmin::text,
                            'actions', concat(case when p.pubinsert then 'i' end, case when p.pubupdate then 'u' end,
                                              case when p.pubdelete then 'd' end, case when p.pubtruncate then 't' end),
                            'viaRoot', p.pubviaroot, 'owner', p.pubowner::text,
                            'generated', to_jsonb(p) ->> 'pubgencols') as options
    from pg_catalog.pg_publication p
   where p.pubname = $1::name
), entry as (
  -- w: all rows and columns; s: some. Of a schema's entry also since which transaction the table is there.
  select l.prrelid as relation,
         case when coalesce(to_jsonb(l) -> 'prattrs', 'null') = 'null' and to_jsonb(l) ->> 'prqual' is null
              then 'w' else 's' end || l.oid as id
    from pg_catalog.pg_publication_rel l
   where l.prpubid = (select p.oid from publication p)
  union all
  select c.oid, 'w' || s.entry || ':' || d.xmin
    from unnest($2::oid[], $3::oid[]) s (schema, entry)
    join pg_catalog.pg_class c on c.relnamespace = s.schema and c.relkind in ('r', 'p')
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_class'::regclass and d.objid = c.oid and d.objsubid = 0
                               and d.refclassid = 'pg_catalog.pg_namespace'::regclass
), tree (root, oid) as (
  select c.oid, c.oid
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
     and n.nspname not in ('pg_catalog', 'information_schema', 'millrace', 'millrace_private', 'millrace_jobs', 'millrace_capture')
     and n.nspname not like 'pg\_%' and c.relname <> 'millrace_progress'
  union
  select t.root, i.inhrelid
    from tree t
    join pg_catalog.pg_inherits i on i.inhparent = t.oid
    join pg_catalog.pg_class c on c.oid = i.inhrelid and c.relispartition
)
select t.root::bigint as oid,
       coalesce(jsonb_object_agg(t.oid::text, e.ids) filter (where e.ids is not null), '{}') as entries,
       coalesce(array_agg(t.oid::text order by t.oid) filter (where c.relpersistence = 'u'), '{}') as unlogged,
       p.all_tables as "allTables", p.options
  from tree t
  join pg_catalog.pg_class c on c.oid = t.oid
 cross join publication p
  left join (select x.relation, array_agg(x.id order by x.id) as ids from entry x group by x.relation) e on e.relation = t.oid
 group by t.root, p.all_tables, p.options
having p.all_tables or count(e.ids) > 0
