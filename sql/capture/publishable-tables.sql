select n.nspname as schema, c.relname as name,
       c.relowner in (select m.oid from pg_catalog.pg_roles m where pg_has_role(current_user, m.oid, 'usage')) as mine,
       case c.relreplident
         when 'f' then true
         when 'd' then k.indexrelid is not null
         when 'i' then k.indexrelid is not null and (select k.indkey::smallint[] <@ i.indkey::smallint[]
                                                       from pg_catalog.pg_index i
                                                      where i.indrelid = c.oid and i.indisreplident)
         else false end as usable,
       exists (select from pg_catalog.pg_publication_tables t
                where t.pubname = $1::name and t.schemaname = n.nspname and t.tablename = c.relname) as published
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  left join pg_catalog.pg_index k on k.indrelid = c.oid and k.indisprimary
 where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
   and n.nspname not in ('pg_catalog', 'information_schema', 'millrace', 'millrace_private', 'millrace_jobs')
   and n.nspname not like 'pg\_%' and c.relname <> 'millrace_progress'
 order by n.nspname, c.relname
