select p.oid, p.published_as, p.schema_name as schema, p.table_name as name
  from millrace_private.published_tables p
 where p.database_no = $1::integer
