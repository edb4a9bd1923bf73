-- Of these tables those whose rows our role may not read.
select n.nspname as schema, c.relname as name
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where c.oid = any ($1::oid[])
   and not (has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select'))
 order by n.nspname, c.relname
