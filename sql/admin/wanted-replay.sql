select b.replay as request, b.table_schema as schema, b.table_name as name,
       (select t.oid from millrace_private.source_tables t
         where t.database_no = d.no and t.schema_name = b.table_schema and t.table_name = b.table_name
         order by t.no desc limit 1) as oid
  from millrace_private.backfills b
  join millrace_private.sinks s on s.no = b.sink_no
  join millrace_private.databases d on d.id = s.database_id
 where b.id = $1::uuid
