select count(*)::integer as count
  from millrace_private.backfills b
 where b.sink_no = $1::integer and b.state in ('waiting', 'running', 'paused')
