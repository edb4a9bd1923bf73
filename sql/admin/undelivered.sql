-- How many messages below this id wait: what is parked, or held behind a parked one, waits for a person. Counted up to 10,000.
select coalesce(sum(w.count), 0)::integer as waiting, max(s.status) as status, max(b.reason) as circuit, max(b.error) as error
  from millrace_private.sinks s
  left join millrace_private.circuits b on b.sink_no = s.no
  left join millrace_private.lanes n on n.sink_no = s.no
  left join lateral (
       select count(*) as count
         from (select from millrace_private.messages m
                 left join millrace_private.delivery_states x on x.sink_no = m.sink_no and x.id = m.id
                where m.sink_no = s.no and m.lane = n.lane and m.id < $2::bigint
                  and coalesce(x.state, '') not in ('parked', 'held')
                limit 10000) f) w on true
 where s.no = $1::integer
