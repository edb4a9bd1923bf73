-- Of a database that may hold nothing of ours yet, or the schema of a version that was never released.
select coalesce(bool_or(c.relname = 'schema_state'), false) as is_ours,
       coalesce(bool_or(c.relname = 'schema_migrations'), false) as is_unreleased,
       current_setting('server_encoding') as encoding
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where n.nspname = 'millrace_private' and c.relkind = 'r'
