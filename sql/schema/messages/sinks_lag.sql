-- When the source committed the oldest message that waits in each of these sinks: of all but the parked ones, what clients have and
-- what backs off or is held included. Null: none waits. It looks at 1,000 rows of a lane at most, however many were parked, and finds
-- them by index: see sinks_waiting.
create or replace function millrace_private.sinks_lag(p_sinks integer[]) returns table (sink_no integer, committed_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set max_parallel_workers_per_gather = 0 as $$
#variable_conflict use_column
begin
  return query
  with lane as (
    select k.sink_no, k.lane from millrace_private.lanes k where k.sink_no = any (p_sinks)
     union
    select u.no, 0::smallint from unnest(p_sinks) u (no)
  ), place as (
    select l.sink_no, l.lane,
           coalesce((select c.id from millrace_private.cursor_log c
                      where c.sink_no = l.sink_no and c.lane = l.lane order by c.seq desc limit 1), 0) as passed_id,
           (select min(d.id)
              from (select e.id from millrace_private.delivery_states e
                     where e.sink_no = l.sink_no and e.lane = l.lane and e.due_at is not null
                     order by e.due_at limit 1000) d) as due_id
      from lane l
     union all
    select u.no, 0::smallint, r.lo, null
      from unnest(p_sinks) u (no)
     cross join lateral (select s.lo from millrace_private.leases s where s.sink_no = u.no order by s.hi limit 1) r
  ), found as (
    select p.sink_no, n.committed_at
      from place p
     cross join lateral (
             select m.committed_at
               from (select o.id, o.committed_at from millrace_private.messages o
                      where o.sink_no = p.sink_no and o.lane = p.lane and o.id > p.passed_id order by o.id limit 1000) m
              where not exists (select from millrace_private.parked(p.sink_no, m.id) offset 0)
              order by m.id limit 1) n
     union all
    select p.sink_no, d.committed_at
      from place p
     cross join lateral (select o.committed_at from millrace_private.messages o
                          where o.sink_no = p.sink_no and o.lane = p.lane and o.id = p.due_id limit 1) d
     union all
    -- What is held may be behind one that was parked.
    select u.no, d.committed_at
      from unnest(p_sinks) u (no)
     cross join lateral (select s.lane, s.id
                           from (select e.lane, e.id, e.state from millrace_private.delivery_states e
                                  where e.sink_no = u.no order by e.id limit 1000) s
                          where s.state = 'held' order by s.id limit 1) h
     cross join lateral (select o.committed_at from millrace_private.messages o
                          where o.sink_no = u.no and o.lane = h.lane and o.id = h.id limit 1) d
  )
  select f.sink_no, min(f.committed_at) from found f group by f.sink_no;
end
$$;
