-- What there is of schema millrace_capture; nothing: no such schema.
select n.oid::bigint as oid, pg_catalog.pg_get_userbyid(n.nspowner)::text as owner,
       pg_has_role(current_user, n.nspowner, 'usage') as mine, pg_catalog.pg_is_in_recovery() as standby,
       exists (select from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relname = 'about' and c.relkind = 'r') as made,
       exists (select from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relname = 'reader' and c.relkind = 'r') as outdated
  from pg_catalog.pg_namespace n
 where n.nspname = 'millrace_capture'
