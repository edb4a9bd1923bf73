select b.id, b.sink_name, b.kind, b.table_schema, b.table_name, b.state, b.reason, b.remedy, b.rows_done, b.rows_sent,
       b.rows_total, b.percent, b.rows_per_second::double precision as rows_per_second,
       extract(epoch from b.time_left)::double precision as seconds_left, b.sort_column, b.start_position,
       to_char(b.created_at, 'YYYY-MM-DD HH24:MI:SS') as created_at, to_char(b.started_at, 'YYYY-MM-DD HH24:MI:SS') as started_at,
       to_char(b.ended_at, 'YYYY-MM-DD HH24:MI:SS') as ended_at
  from millrace.backfill_status b
 where ($1::boolean or b.state in ('waiting', 'running', 'paused', 'failed'))
   and ($2::text is null or starts_with(b.id::text, $2::text))
 order by b.created_at desc
 limit 1000
