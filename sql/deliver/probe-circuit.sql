with busy as (
  select l.lane
    from millrace_private.lanes l
   where l.sink_no = $1::integer
     and (exists (select from millrace_private.messages m
                   where m.sink_no = l.sink_no and m.lane = l.lane
                     and m.id > coalesce((select c.id from millrace_private.cursor_log c
                                           where c.sink_no = l.sink_no and c.lane = l.lane
                                           order by c.seq desc limit 1), 0))
          or exists (select from millrace_private.delivery_states e
                      where e.sink_no = l.sink_no and e.lane = l.lane and e.due_at is not null))
)
update millrace_private.circuits c
   set probe_at = clock_timestamp() + $2::integer * interval '1 ms'
 where c.sink_no = $1::integer and c.probe_at <= clock_timestamp()
   and (not exists (select from busy) or exists (select from busy b where b.lane = $3::smallint))
