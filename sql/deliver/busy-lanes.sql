select l.sink_no, l.lane, s.name as sink_name
  from millrace_private.lanes l
  join millrace_private.sinks s on s.no = l.sink_no
 where s.status = 'active'
   and (l.owner is null or l.until < clock_timestamp())
   and (exists (select from millrace_private.messages m
                 where m.sink_no = l.sink_no and m.lane = l.lane
                   and m.id > coalesce((select c.id from millrace_private.cursor_log c
                                         where c.sink_no = l.sink_no and c.lane = l.lane
                                         order by c.seq desc limit 1), 0))
        or exists (select from millrace_private.delivery_states e
                    where e.sink_no = l.sink_no and e.lane = l.lane and e.due_at <= clock_timestamp()))
   and not exists (select from millrace_private.circuits b
                    where b.sink_no = l.sink_no and b.probe_at > clock_timestamp())
