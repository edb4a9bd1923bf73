delete from millrace_private.readers r
 where (r.sink_no, r.token) in (
   select o.sink_no, o.token from millrace_private.readers o
    where coalesce(greatest(o.received_at, o.acked_at), '-infinity') < clock_timestamp() - interval '90 days'
    limit $1::integer)
