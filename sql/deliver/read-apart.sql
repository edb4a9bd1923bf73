-- committed_ms: of the last one, and of others now and then, which is enough to count latencies by.
with upto as materialized (
  select max(w.id) as id
    from (select b.id, sum(b.bytes) over (order by b.id rows unbounded preceding) - b.bytes as before
            from (select i.id, octet_length(i.record) as bytes
                    from millrace_private.messages i
                   where i.sink_no = $1::integer and i.lane = $2::smallint and i.id > $3::bigint
                   order by i.id limit $4::integer) b) w
   where w.before < $5::bigint
)
select m.id, m.action, m.record_pks, m.record, nullif(m.unchanged_toast is not null, false) as partial,
       x.attempts, x.state, x.error, x.behind,
       case when m.id % 32 = 0 or m.id = (select u.id from upto u)
            then date_part('epoch', m.committed_at) * 1000::double precision end as committed_ms
  from millrace_private.messages m
  -- Evaluated only when a message of the sink has a state at all ("offset 0" keeps that a condition of its own).
  left join lateral (
       select e.attempts, e.state, e.error,
              exists (select from millrace_private.delivery_states b
                       where b.sink_no = $1::integer and b.group_key between m.group_key and m.group_key and b.id < m.id) as behind
         from (select) one
         left join millrace_private.delivery_states e on e.sink_no = $1::integer and e.id = m.id
        where (select exists (select from millrace_private.delivery_states a where a.sink_no = $1::integer))
       offset 0) x on true
 where m.sink_no = $1::integer and m.lane = $2::smallint and m.id > $3::bigint
   and m.id <= (select u.id from upto u)
 order by m.id
