-- The names under which changes of these tables came.
select t.oid, t.schema_name as schema, t.table_name as name
  from millrace_private.source_tables t
 where t.database_no = $1::integer and t.oid = any ($2::bigint[])
