select b.state, b.reason is not null as explained,
       (select sum(w.count)::bigint
          from generate_series(0, s.lanes) l (lane)
          left join lateral (select c.id from millrace_private.cursor_log c
                              where c.sink_no = $2::integer and c.lane = l.lane order by c.seq desc limit 1) p on true
         cross join lateral (select count(*) from (select from millrace_private.messages m
                                                    where m.sink_no = $2::integer and m.lane = l.lane
                                                      and m.id > coalesce(p.id, 0)
                                                    limit $3::integer) t) w) as waiting
  from millrace_private.backfills b
  join millrace_private.sinks s on s.no = b.sink_no
 where b.no = $1::integer
