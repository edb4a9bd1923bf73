-- Newest first, those after the one of $6 and $7.
select o.id, o.kind, o.sink_name, o.database_name, o.table_schema, o.table_name, o.state, o.reason, o.remedy,
       o.rows_done::double precision as rows_done, o.rows_sent::double precision as rows_sent,
       o.rows_total::double precision as rows_total, o.percent, o.rows_per_second::double precision as rows_per_second,
       extract(epoch from o.time_left)::double precision as seconds_left, o.sort_column, o.start_position,
       o.created_at, o.started_at, o.updated_at, o.ended_at, o.created_at::text as place,
       o.phase, o.result, o.attempt, o.requested_by, o.steps, o.lines
  from millrace.operation_status o
 where ($1::uuid is null or o.id = $1::uuid)
   and ($2::text is null or o.kind = $2::text)
   and ($3::text is null or o.state = $3::text)
   and ($4::text is null or o.sink_name = $4::text)
   and ($5::text is null or o.database_name = $5::text)
   and ($6::timestamptz is null or (o.created_at, o.id) < ($6::timestamptz, $7::uuid))
 order by o.created_at desc, o.id desc
 limit $8::integer
