-- What was seen so many milliseconds ago. Several processes write: the later time counts, and rows are taken in the same order.
insert into millrace_private.readers as r (sink_no, token, received_at, acked_at, address)
select n.sink_no, n.token,
       clock_timestamp() - n.received_ago_ms * interval '1 ms', clock_timestamp() - n.acked_ago_ms * interval '1 ms', n.address
  from jsonb_to_recordset($1::jsonb) n (
         sink_no integer, token text, received_ago_ms double precision, acked_ago_ms double precision, address text)
 where exists (select from millrace_private.sinks s where s.no = n.sink_no)
 order by n.sink_no, n.token
    on conflict (sink_no, token) do update
   set received_at = greatest(r.received_at, excluded.received_at), acked_at = greatest(r.acked_at, excluded.acked_at),
       address = excluded.address
