select s.status,
       (select count(*)::integer from (select from millrace_private.messages m
                                        where m.sink_no = s.no and m.id < $2::bigint limit $3::integer) t) as messages,
       (select count(*)::integer from millrace_private.delivery_states x
         where x.sink_no = s.no and x.id < $2::bigint and x.state = 'parked') as parked,
       c.reason, c.error
  from millrace_private.sinks s
  left join millrace_private.circuits c on c.sink_no = s.no
 where s.no = $1::integer
