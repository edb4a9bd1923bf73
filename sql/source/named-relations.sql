-- What is called by these names and is no table that could be captured: `schema.name` each, as sinks name their tables.
select n.nspname as schema, c.relname as name,
       case when c.relkind in ('r', 'p') and c.relpersistence = 'u' then 'unlogged'
            when c.relkind in ('r', 'p') and c.relpersistence = 't' then 'temporary'
            when c.relispartition then 'partition'
            when c.relkind in ('r', 'p') then 'system'
            when c.relkind = 'f' then 'foreign'
            when c.relkind = 'v' then 'view'
            when c.relkind = 'm' then 'matview'
            else 'other' end as kind,
       (with recursive above (oid) as (
          select i.inhparent from pg_catalog.pg_inherits i where i.inhrelid = c.oid
          union
          select i.inhparent from above a join pg_catalog.pg_inherits i on i.inhrelid = a.oid
        )
        select m.nspname || '.' || r.relname
          from above a
          join pg_catalog.pg_class r on r.oid = a.oid
          join pg_catalog.pg_namespace m on m.oid = r.relnamespace
         where c.relispartition and not r.relispartition) as root
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where n.nspname || '.' || c.relname = any ($1::text[])
   and not (c.relkind in ('r', 'p') and c.relpersistence = 'p' and not c.relispartition
            and n.nspname not in ('pg_catalog', 'information_schema', 'millrace', 'millrace_private', 'millrace_jobs', 'millrace_capture')
            and n.nspname not like 'pg\_%' and c.relname <> 'millrace_progress')
