-- Tables whose changes came under this name, the newest first.
select t.oid
  from millrace_private.source_tables t
 where t.database_no = $1::integer and t.schema_name = $2::text and t.table_name = $3::text
 order by t.no desc
