select t.no, t.schema_name || '.' || t.table_name as name
  from millrace_private.source_tables t
 where t.no = any ($1::integer[])
