update millrace_private.backfills b
   set state = 'running', reason = null, remedy = null, started_at = coalesce(b.started_at, clock_timestamp()),
       moved_at = clock_timestamp(), rows_total = coalesce(b.rows_total, $2::bigint)
 where b.no = $1::integer and b.state in ('waiting', 'running')
returning b.no
