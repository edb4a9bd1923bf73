select s.status, b.reason as circuit, b.error as circuit_error, p.state, p.reason, p.remedy,
       l.confirmed_lsn::text as confirmed_lsn, l.next_id, f.id as first_id, f.error as first_error
  from millrace_private.sinks s
  join millrace_private.databases d on d.id = s.database_id
  left join millrace_private.positions p on p.database_no = d.no
  left join millrace_private.circuits b on b.sink_no = s.no
  left join lateral (select g.confirmed_lsn, g.next_id from millrace_private.position_log g
                      where g.database_no = d.no order by g.seq desc limit 1) l on true
  -- The oldest message that is still to be delivered. What is held waits for an older one: for one that counts itself,
  -- or for a parked one, with which it stays.
  left join lateral (
       select m.id, m.error
         from millrace_private.lanes n
        cross join lateral (
              select w.id, x.error
                from millrace_private.messages w
                left join millrace_private.delivery_states x on x.sink_no = w.sink_no and x.id = w.id
               where w.sink_no = $1::integer and w.lane = n.lane and coalesce(x.state, '') not in ('parked', 'held')
               order by w.id limit 1) m
        where n.sink_no = $1::integer
        order by m.id limit 1) f on true
 where s.no = $1::integer
