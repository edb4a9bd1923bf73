select l.lane, s.name as sink_name
  from millrace_private.lanes l
  join millrace_private.sinks s on s.no = l.sink_no
 where l.sink_no = $1::integer
 order by l.lane
