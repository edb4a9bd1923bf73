-- The newest ones alone: what failed and was asked for again is over.
select distinct on (s.name, o.kind, o.table_schema, o.table_name)
       s.name as sink, o.id::text as id, o.kind, o.table_schema || '.' || o.table_name as "table", o.state, o.reason, o.remedy
  from millrace.operation_status o
  join millrace_private.sinks s on s.name = o.sink_name
 order by s.name, o.kind, o.table_schema, o.table_name, o.created_at desc
