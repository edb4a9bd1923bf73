-- Reads catalogs, and opens no table but this one: whoever has another one locked is not waited for.
with recursive target as (
  select c.oid, c.relnamespace
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where n.nspname = $2::name and c.relname = $3::name and c.relkind in ('r', 'p')
), tree (oid) as (
  select t.oid from target t
  union
  select i.inhrelid
    from tree t
    join pg_catalog.pg_inherits i on i.inhparent = t.oid
    join pg_catalog.pg_class c on c.oid = i.inhrelid and c.relispartition
), published as (
  select nullif(to_jsonb(l) -> 'prattrs', 'null') as columns, p.with_generated,
         -- The column of the catalog; before 15, which has none, the name means the one of "none".
         (select pg_catalog.pg_get_expr(prqual, t.oid) from pg_catalog.pg_publication_rel r where r.oid = l.oid) as row_filter
    from target t
   cross join (select null::pg_node_tree as prqual) none
   cross join (select p.oid, p.puballtables, coalesce(to_jsonb(p) ->> 'pubgencols', 'n') = 's' as with_generated
                 from pg_catalog.pg_publication p where p.pubname = $1::name) p
    left join pg_catalog.pg_publication_rel l on l.prpubid = p.oid and l.prrelid = t.oid
   where p.puballtables or l.oid is not null or t.relnamespace = any ($4::oid[])
      or exists (select from tree part
                   join pg_catalog.pg_class c on c.oid = part.oid
                  where c.relnamespace = any ($4::oid[])
                     or exists (select from pg_catalog.pg_publication_rel o where o.prpubid = p.oid and o.prrelid = part.oid))
)
select c.oid::bigint as oid, c.relkind = 'p' as partitioned, exists (select from published) as published,
       (select p.row_filter from published p) as row_filter,
       exists (select from published p where p.columns is not null or p.row_filter is not null) as lists,
       case c.relreplident when 'f' then 'full' when 'n' then 'nothing' when 'i' then 'index' else 'default' end as identity,
       exists (select from tree t
                 join pg_catalog.pg_class leaf on leaf.oid = t.oid
                where leaf.reltoastrelid <> 0 and pg_relation_size(leaf.reltoastrelid) > 0)
         or (c.reltoastrelid <> 0 and pg_relation_size(c.reltoastrelid) > 0) as toasted,
       (select json_agg(json_build_object(
                 'name', a.attname, 'typeOid', a.atttypid::bigint, 'typmod', a.atttypmod,
                 -- Of a domain its base type: a cast to the domain would run its checks, which are functions of its owner.
                 'type', pg_catalog.format_type(b.oid, b.typmod),
                 'operators', coalesce(o.schema, 'pg_catalog'), 'names', o.names,
                 -- Operators of any enum, range or composite take no domain of one.
                 'cast', b.oid <> a.atttypid and b.kind in ('c', 'e', 'm', 'r'),
                 'key', case c.relreplident when 'f' then true when 'n' then false
                             when 'i' then coalesce(a.attnum = any ((i.indkey::smallint[])[0:i.indnkeyatts - 1]), false)
                             else coalesce(a.attnum = any ((k.indkey::smallint[])[0:k.indnkeyatts - 1]), false) end,
                 'keyPlace', array_position((k.indkey::smallint[])[0:k.indnkeyatts - 1], a.attnum) - 1,
                 'sent', case when (select p.columns from published p) is null
                              then a.attgenerated = '' or (a.attgenerated = 's' and (select p.with_generated from published p))
                              else (select p.columns from published p) @> to_jsonb(a.attnum) end,
                 'long', y.typlen = -1, 'text', a.atttypid in (17, 25, 1042, 1043)) order by a.attnum)
          from pg_catalog.pg_attribute a
          join pg_catalog.pg_type y on y.oid = a.atttypid
         cross join lateral (
         with recursive base as (
           select a.atttypid as oid, a.atttypmod as typmod
           union all
           select t.typbasetype, t.typtypmod from base b join pg_catalog.pg_type t on t.oid = b.oid where t.typtype = 'd')
         select b.oid, b.typmod, t.typtype as kind from base b join pg_catalog.pg_type t on t.oid = b.oid where t.typtype <> 'd') b
         left join lateral (
         -- An extension may have other names for them.
         select min(n.nspname::text) as schema,
                json_object_agg(case s.amopstrategy when 3 then '=' when 4 then '>=' else '>' end, o.oprname) as names
           from pg_catalog.pg_opclass c
           join pg_catalog.pg_amop s on s.amopfamily = c.opcfamily and s.amoplefttype = c.opcintype
                                    and s.amoprighttype = c.opcintype and s.amopstrategy in (3, 4, 5)
           join pg_catalog.pg_operator o on o.oid = s.amopopr
           join pg_catalog.pg_namespace n on n.oid = o.oprnamespace
          where c.opcmethod = 403 and c.opcdefault and c.opcintype = b.oid) o on true
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  left join pg_catalog.pg_index k on k.indrelid = c.oid and k.indisprimary
  left join pg_catalog.pg_index i on i.indrelid = c.oid and i.indisreplident
 where n.nspname = $2::name and c.relname = $3::name and c.relkind in ('r', 'p')
