select p.oid, p.published_as, p.schema_name as schema, p.table_name as name, p.came_as::text as "cameAs"
  from millrace_private.published_tables p
 where p.database_no = $1::integer
