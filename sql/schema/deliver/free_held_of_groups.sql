-- What free_held does where messages are ordered by groups, and one may be of two: what is held becomes due when nothing
-- earlier of its groups is left but what becomes due with it. A message of two groups is the exception: it may wait in the
-- other one, so what is held behind it stays until it is gone. Each state is looked up by its message (limit 1, and an array for what is
-- found): with statistics of a sink that held nothing, a join reads all that is held for each of them.
create or replace function millrace_private.free_held_of_groups(p_sink_no integer, p_groups bigint[]) returns void
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set max_parallel_workers_per_gather = 0
set search_path = pg_catalog, pg_temp as $$
begin
  update millrace_private.delivery_states x set state = 'waiting', due_at = clock_timestamp()
   where x.sink_no = p_sink_no and x.state = 'held' and x.id = any (array(
          select h.id
            from unnest(p_groups) g (group_key)
           cross join lateral (
                 select e.id, e.lane from millrace_private.delivery_states e
                  where e.sink_no = p_sink_no and e.group_key = g.group_key and e.state = 'held'
                 union all
                 select e.id, e.lane
                   from millrace_private.messages o
                  cross join lateral (select d.id, d.lane, d.state from millrace_private.delivery_states d
                                       where d.sink_no = p_sink_no and d.id = o.id order by d.id limit 1) e
                  where e.state = 'held' and o.sink_no = p_sink_no and o.group_key2 = g.group_key) h
            join millrace_private.messages m on m.sink_no = p_sink_no and m.lane = h.lane and m.id = h.id
           where not exists (
                   select from unnest(array[m.group_key, m.group_key2]) own (group_key)
                    cross join lateral millrace_private.undecided(p_sink_no, own.group_key, m.id) u
                    where u.state <> 'held' or m.group_key2 is not null
                       or exists (select from millrace_private.messages o
                                   where o.sink_no = p_sink_no and o.lane = u.lane and o.id = u.id
                                     and o.group_key2 is not null))));
end
$$;
