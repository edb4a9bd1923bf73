-- The newest ones alone: what failed and was asked for again is over.
select distinct on (o.database_name, o.sink_name, o.kind, o.table_schema, o.table_name)
       o.sink_name as sink, o.database_name as database, o.id::text as id, o.kind,
       o.table_schema || '.' || o.table_name as "table", o.state, o.reason, o.remedy, o.ended_at,
       extract(epoch from clock_timestamp() - o.updated_at)::double precision as still_seconds
  from millrace.operation_status o
 order by o.database_name, o.sink_name, o.kind, o.table_schema, o.table_name, o.created_at desc
