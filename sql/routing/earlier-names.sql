select t.schema_name as schema, t.table_name as name
  from millrace_private.source_tables t
 where t.database_no = $1::integer and t.oid = $2::bigint and (t.schema_name, t.table_name) <> ($3::text, $4::text)
