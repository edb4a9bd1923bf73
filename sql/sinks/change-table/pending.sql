select u.id
  from unnest($2::bigint[]) as u (id)
  join millrace_private.sinks s on s.id = $1::uuid
  join millrace_private.lanes l on l.sink_no = s.no
 cross join lateral (select m.id from millrace_private.messages m
                      where m.sink_no = s.no and m.lane = l.lane and m.id = u.id limit 1) as m
