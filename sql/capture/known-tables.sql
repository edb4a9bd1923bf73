select t.oid, t.schema_name || '.' || t.table_name as name
  from millrace_private.source_tables t
 where t.database_no = $1::integer
 order by t.no
