select o.sink_no, o.name, i.inhrelid is not null as attached
  from (select c.oid, c.relname as name, substr(c.relname, 10)::integer as sink_no
          from pg_catalog.pg_class c
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where n.nspname = 'millrace_private' and c.relkind = 'r' and c.relname ~ '^messages_[0-9]+$') o
  left join pg_catalog.pg_inherits i on i.inhrelid = o.oid
 where not exists (select from millrace_private.sinks s where s.no = o.sink_no)
 order by coalesce(i.inhdetachpending, false) desc, o.sink_no
