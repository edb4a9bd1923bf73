-- Of a pull consumer whose messages nobody shapes, nothing passes a lane: the newest that is there.
select millrace_private.sample_message(s.no, m.id, jsonb_build_object('outcome', m.state), null)
  from millrace_private.sinks s
 cross join lateral (select o.id from millrace_private.messages o
                      where o.sink_no = s.no and o.lane = 0 order by o.id desc limit 1) n
  join millrace_private.message_list m on m.sink_no = s.no and m.lane = 0 and m.id = n.id
 where s.no = $1::integer and s.receivable and s.lanes = 0
   and not exists (select from millrace_private.recent_messages r where r.sink_no = s.no and r.id = n.id)
