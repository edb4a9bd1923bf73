-- All names, `schema.table`, under which changes of the table came that has name $2.$3 in the database of sink $1, or had it.
select e.schema_name || '.' || e.table_name as name
  from millrace_private.sinks s
  join millrace_private.databases d on d.id = s.database_id
  join millrace_private.source_tables t on t.database_no = d.no and t.schema_name = $2::text and t.table_name = $3::text
  join millrace_private.source_tables e on e.database_no = d.no and e.oid = t.oid
 where s.no = $1::integer
