-- Those that note the changes of a table each.
select p.proname::text as name
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace and n.nspname = 'millrace_capture'
 where p.proname like 'table\_%'
 order by p.oid
