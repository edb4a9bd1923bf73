-- A day after the last one of a message that has gone, and what is beyond the last 10,000 of a sink.
delete from millrace_private.attempts a
 where a.ctid = any (array(
         select o.ctid from millrace_private.attempts o
          where o.at < clock_timestamp() - interval '24 h'
            and not exists (select from millrace_private.delivery_states x where x.sink_no = o.sink_no and x.id = o.id)
          union
         select o.ctid
           from millrace_private.sinks s
          cross join lateral (select n.seq from millrace_private.attempts n
                               where n.sink_no = s.no order by n.seq desc offset 10000 limit 1) b
           join millrace_private.attempts o on o.sink_no = s.no and o.seq <= b.seq
          limit $1::integer))
