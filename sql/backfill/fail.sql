update millrace_private.backfills b
   set state = 'failed', reason = $2::text, remedy = $3::text, ended_at = clock_timestamp()
 where b.no = $1::integer and b.state in ('waiting', 'running')
