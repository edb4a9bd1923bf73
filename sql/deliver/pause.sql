select millrace_private.set_status(s.name, 'paused')
  from millrace_private.sinks s
  join millrace_private.lanes l on l.sink_no = s.no
 where s.no = $1::integer and l.lane = $2::smallint and l.owner = $3::text and l.until > clock_timestamp()
