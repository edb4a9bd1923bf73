-- Commit time of a sink's first message of all, parked ones included: found in the same way.
create or replace function millrace_private.oldest_committed_at(p_sink_no integer) returns timestamptz
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
begin
  return least(
    (select min(f.committed_at)
       from (select l.lane, coalesce((select c.id from millrace_private.cursor_log c
                                       where c.sink_no = p_sink_no and c.lane = l.lane order by c.seq desc limit 1), 0) as id
               from (select k.lane from millrace_private.lanes k where k.sink_no = p_sink_no
                     union select 0::smallint) l) p
      cross join lateral (select m.committed_at from millrace_private.messages m
                           where m.sink_no = p_sink_no and m.lane = p.lane and m.id > p.id order by m.id limit 1) f),
    (select f.committed_at
       from (select r.lo from millrace_private.leases r where r.sink_no = p_sink_no order by r.hi limit 1) r
      cross join lateral (select m.committed_at from millrace_private.messages m
                           where m.sink_no = p_sink_no and m.lane = 0 and m.id > r.lo order by m.id limit 1) f),
    (select f.committed_at
       from (select e.id, e.lane from millrace_private.delivery_states e where e.sink_no = p_sink_no order by e.id limit 1) e
      cross join lateral (select m.committed_at from millrace_private.messages m
                           where m.sink_no = p_sink_no and m.lane = e.lane and m.id = e.id limit 1) f));
end
$$;
