-- Is there work in one of its lanes, and is one left to itself: a worker saw work there, and no owner has come since?
-- Rows are looked for only above the place of each lane: see count_pending. Planned each time, for its own sink: a plan for any
-- sink would open the partitions of all of them.
create or replace function millrace_private.lane_health(p_sink_no integer, out has_work boolean, out is_left boolean)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
begin
  select count(*) > 0,
         coalesce(bool_or(l.waiting_since < clock_timestamp() - interval '30 s'
                          and (l.owner is null or l.until < clock_timestamp())), false)
    into has_work, is_left
    from millrace_private.lanes l
   where l.sink_no = p_sink_no
     and (exists (select from millrace_private.messages m
                   where m.sink_no = p_sink_no and m.lane = l.lane
                     and m.id > coalesce((select c.id from millrace_private.cursor_log c
                                           where c.sink_no = p_sink_no and c.lane = l.lane
                                           order by c.seq desc limit 1), 0))
          or exists (select from millrace_private.delivery_states e
                      where e.sink_no = p_sink_no and e.lane = l.lane and e.due_at <= clock_timestamp()));
end
$$;
