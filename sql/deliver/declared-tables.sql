select l.sink_no, l.lane, s.name as sink_name
  from millrace_private.lanes l
  join millrace_private.sinks s on s.no = l.sink_no
 where s.destination_database_id is not null and s.status = 'active'
 order by l.sink_no, l.lane
