-- The one that was seen last comes first.
select r.token, r.received_at, r.acked_at, r.address
  from millrace_private.readers r
  join millrace_private.sinks s on s.no = r.sink_no
 where s.id = $1::uuid
 order by greatest(r.received_at, r.acked_at) desc, r.token
 limit 1000
