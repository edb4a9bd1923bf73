-- What is beyond the last 10,000 of a sink.
delete from millrace_private.attempts a
 where a.ctid = any (array(
         select o.ctid
           from millrace_private.sinks s
          cross join lateral (select n.seq from millrace_private.attempts n
                               where n.sink_no = s.no order by n.seq desc offset 10000 limit 1) b
           join millrace_private.attempts o on o.sink_no = s.no and o.seq <= b.seq
          limit $1::integer))
