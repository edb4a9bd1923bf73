with published as (
  select t.schemaname, t.tablename, to_jsonb(t) -> 'attnames' as columns
    from pg_catalog.pg_publication_tables t
   where t.pubname = $1::name
), listed as (
  select l.prrelid as oid, to_jsonb(l) ->> 'prattrs' is not null as some_columns
    from pg_catalog.pg_publication_rel l
    join pg_catalog.pg_publication p on p.oid = l.prpubid
   where p.pubname = $1::name
)
select c.oid::bigint as oid, n.nspname as schema, c.relname as name, c.relkind = 'p' as partitioned,
       c.relowner in (select m.oid from pg_catalog.pg_roles m where pg_has_role(current_user, m.oid, 'usage')) as mine,
       case c.relreplident when 'f' then 'full' when 'n' then 'nothing' when 'i' then 'index' else 'default' end as identity,
       k.indexrelid is not null as has_key,
       case c.relreplident
         when 'f' then true
         when 'd' then k.indexrelid is not null
         when 'i' then i.indexrelid is not null
         else false end as has_identity,
       case c.relreplident
         when 'f' then true
         when 'd' then k.indexrelid is not null
         when 'i' then i.indexrelid is not null and k.indexrelid is not null
                       and (k.indkey::smallint[])[0:k.indnkeyatts - 1] <@ (i.indkey::smallint[])[0:i.indnkeyatts - 1]
         else false end as covers_key,
       published.tablename is not null
         or (c.relkind = 'p' and exists (
              -- Published under the names of its partitions.
              select from pg_catalog.pg_partition_tree(c.oid) t
                join pg_catalog.pg_class leaf on leaf.oid = t.relid
                join pg_catalog.pg_namespace leaf_schema on leaf_schema.oid = leaf.relnamespace
                join published o on o.schemaname = leaf_schema.nspname and o.tablename = leaf.relname
               where t.isleaf)) as published,
       coalesce(listed.some_columns, false) as some_columns,
       g.virtual as virtual_columns, g.stored as stored_columns,
       published.columns is not null and exists (
         select from pg_catalog.pg_attribute a
          where a.attrelid = c.oid and not published.columns ? a.attname::text
            and a.attnum = any (case c.relreplident when 'd' then (k.indkey::smallint[])[0:k.indnkeyatts - 1]
                                                    when 'i' then (i.indkey::smallint[])[0:i.indnkeyatts - 1] end))
         as identity_unlisted
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  left join pg_catalog.pg_index k on k.indrelid = c.oid and k.indisprimary
  left join pg_catalog.pg_index i on i.indrelid = c.oid and i.indisreplident
  left join published on published.schemaname = n.nspname and published.tablename = c.relname
  left join listed on listed.oid = c.oid
 cross join lateral (select coalesce(bool_or(a.attgenerated = 'v'), false) as virtual,
                            coalesce(bool_or(a.attgenerated = 's'), false) as stored
                       from pg_catalog.pg_attribute a
                      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated <> '') g
 where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
   and n.nspname not in ('pg_catalog', 'information_schema', 'millrace', 'millrace_private', 'millrace_jobs')
   and n.nspname not like 'pg\_%' and c.relname <> 'millrace_progress'
 order by n.nspname, c.relname
