-- Messages are counted up to $3 beyond the parked ones, which lie among them.
select s.status, m.messages, p.parked, c.reason, c.error
  from millrace_private.sinks s
  left join millrace_private.circuits c on c.sink_no = s.no
 cross join lateral (select count(*)::integer as parked from millrace_private.delivery_states x
                      where x.sink_no = s.no and x.id < $2::bigint and x.state = 'parked') p
 cross join lateral (select count(*)::integer as messages
                       from (select from millrace_private.messages m
                              where m.sink_no = s.no and m.id < $2::bigint limit p.parked + $3::integer) t) m
 where s.no = $1::integer
