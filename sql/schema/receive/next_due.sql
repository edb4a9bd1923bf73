-- When the next lease ends or the next retry is due: how long a waiting receive may sleep. Leases that ended before a receive
-- looked were swept by it.
create or replace function millrace_private.next_due(p_sink_no integer, p_lane integer) returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp as $$
  select least((select l.until from millrace_private.leases l
                 where l.sink_no = p_sink_no and p_lane = 0
                   and l.until > coalesce((select c.swept_at from millrace_private.cursor_log c
                                            where c.sink_no = p_sink_no and c.lane = 0 order by c.seq desc limit 1), '-infinity')
                 order by l.until limit 1),
               (select x.due_at from millrace_private.delivery_states x
                 where x.sink_no = p_sink_no and x.lane = p_lane and x.due_at is not null order by x.due_at limit 1))
$$;
