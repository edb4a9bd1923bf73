-- Is schema millrace_capture there, and who of ours ($1: its application name) still reads from it?
select exists (select from pg_catalog.pg_namespace n where n.nspname = 'millrace_capture') as made,
       (select a.pid from pg_catalog.pg_stat_activity a
         where a.datname = current_database() and a.application_name = left($1::text, 63)
         order by a.backend_start limit 1) as pid
