-- What waits in each of these sinks, found for all of them at once: one plan has all partitions, and is kept.
-- has_work: in one of its lanes. is_left: and a worker saw work there, and no owner has come since. waiting_since: when this
-- database saw a message that is no older than its first one, to the minute; null: none waits. What clients of a pull consumer have,
-- or gave back, is theirs. It looks at 1,000 rows of a lane at most, however many were parked. oldest_committed_at: of its first
-- message of all, parked ones included.
-- Rows are looked for only where there can be any: see count_pending.
create or replace function millrace_private.sinks_waiting(p_sinks integer[]) returns table (
  sink_no integer, has_work boolean, is_left boolean, waiting_since timestamptz, oldest_committed_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set max_parallel_workers_per_gather = 0 as $$
#variable_conflict use_column
begin
  return query
  with lane as (
    select k.sink_no, k.lane, true as is_worked_on,
           k.waiting_since < clock_timestamp() - interval '30 s'
           and (k.owner is null or k.until < clock_timestamp()) as is_untaken
      from millrace_private.lanes k where k.sink_no = any (p_sinks)
     union all
    select u.no, 0::smallint, false, false
      from unnest(p_sinks) u (no)
     where not exists (select from millrace_private.lanes k where k.sink_no = u.no and k.lane = 0)
  ), place as (
    select l.sink_no, l.lane, l.is_worked_on, l.is_untaken, true as is_ahead,
           coalesce((select c.id from millrace_private.cursor_log c
                      where c.sink_no = l.sink_no and c.lane = l.lane order by c.seq desc limit 1), 0) as passed_id
      from lane l
     union all
    select u.no, 0::smallint, false, false, false, r.lo
      from unnest(p_sinks) u (no)
     cross join lateral (select s.lo from millrace_private.leases s where s.sink_no = u.no order by s.hi limit 1) r
     union all
    select u.no, x.lane, false, false, false, x.id - 1
      from unnest(p_sinks) u (no)
     cross join lateral (select e.lane, e.id from millrace_private.delivery_states e
                          where e.sink_no = u.no order by e.id limit 1) x
  ), found as (
    select p.sink_no, p.is_untaken, f.committed_at,
           p.is_worked_on
           and (f.id is not null
                or exists (select from millrace_private.delivery_states e
                            where e.sink_no = p.sink_no and e.lane = p.lane and e.due_at <= clock_timestamp())) as has_work,
           case when not p.is_ahead then null
                when not exists (select from millrace_private.delivery_states e where e.sink_no = p.sink_no and e.id = f.id) then f.id
                else (select n.id
                        from (select m.id from millrace_private.messages m
                               where m.sink_no = p.sink_no and m.lane = p.lane and m.id > p.passed_id
                               order by m.id limit 1000) n
                       where not exists (select from millrace_private.delivery_states e
                                          where e.sink_no = p.sink_no and e.id = n.id offset 0)
                       order by n.id limit 1) end as first_id,
           case when p.is_worked_on and not exists (select from millrace_private.consumers c where c.sink_no = p.sink_no) then
             (select min(d.id)
                from (select e.id from millrace_private.delivery_states e
                       where e.sink_no = p.sink_no and e.lane = p.lane and e.due_at is not null
                       order by e.due_at limit 1000) d) end as due_id
      from place p
      left join lateral (select m.id, m.committed_at from millrace_private.messages m
                          where m.sink_no = p.sink_no and m.lane = p.lane and m.id > p.passed_id order by m.id limit 1) f on true
  ), waiting as (
    select f.sink_no, bool_or(f.has_work) as has_work, coalesce(bool_or(f.has_work and f.is_untaken), false) as is_left,
           least(min(f.first_id), min(f.due_id)) as id, min(f.committed_at) as committed_at
      from found f
     group by f.sink_no
  )
  select w.sink_no, w.has_work, w.is_left,
         (select min(b.at)
            from millrace_private.sinks s
            join millrace_private.databases d on d.id = s.database_id
            join millrace_private.capture_beats b on b.database_no = d.no
           where s.no = w.sink_no and b.next_id > w.id),
         w.committed_at
    from waiting w;
end
$$;
