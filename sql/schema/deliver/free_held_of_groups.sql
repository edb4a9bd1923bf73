-- What free_held does where messages are ordered by groups, and one may be of two: what is held becomes due when nothing
-- earlier of its groups is left but what becomes due with it. A message of two groups is the exception: it may wait in the
-- other one, so what is held behind it stays until it is gone. So each group has a first one that stays: what is held before that
-- becomes due, and itself if it is held with nothing before it in either group. It is looked for once for each group, however many are
-- held, and among the first thousand alone: what is behind those comes when they are gone. Each state is looked up
-- by its message (limit 1, and an array for what is found): with statistics of a sink that held nothing, a join reads all that is held
-- for each of them.
create or replace function millrace_private.free_held_of_groups(p_sink_no integer, p_groups bigint[]) returns void
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set max_parallel_workers_per_gather = 0
set search_path = pg_catalog, pg_temp as $$
declare
  c_most constant integer := 1000;
begin
  update millrace_private.delivery_states x set state = 'waiting', due_at = clock_timestamp()
   where x.sink_no = p_sink_no and x.state = 'held' and x.id = any (array(
          select f.id
            from (select distinct k.group_key from unnest(p_groups) k (group_key)) g
           cross join lateral (
                 select coalesce(min(a.id), 9223372036854775807) as id
                   from ((select e.id
                            from (select d.id, d.lane, d.state from millrace_private.delivery_states d
                                   where d.sink_no = p_sink_no
                                     and case when d.state <> 'parked' then d.group_key end between g.group_key and g.group_key
                                   order by case when d.state <> 'parked' then d.group_key end, d.id limit c_most) e
                           where e.state <> 'held'
                              or exists (select from millrace_private.messages o
                                          where o.sink_no = p_sink_no and o.lane = e.lane and o.id = e.id
                                            and o.group_key2 is not null offset 0)
                           order by e.id limit 1)
                         union all
                         (select o.id
                            from millrace_private.messages o
                           where o.sink_no = p_sink_no and o.group_key2 = g.group_key
                             and (select b.state <> 'parked' from millrace_private.delivery_states b
                                   where b.sink_no = p_sink_no and b.id = o.id order by b.id limit 1)
                           order by o.id limit 1)) a) stays
           cross join lateral (
                 (select e.id
                    from millrace_private.delivery_states e
                   where e.sink_no = p_sink_no and e.state = 'held' and e.id < stays.id
                     and case when e.state <> 'parked' then e.group_key end between g.group_key and g.group_key
                   order by case when e.state <> 'parked' then e.group_key end, e.id limit c_most)
                 union all
                 select h.id
                   from millrace_private.delivery_states h
                   join millrace_private.messages m on m.sink_no = p_sink_no and m.lane = h.lane and m.id = h.id
                  where h.sink_no = p_sink_no and h.id = stays.id and h.state = 'held'
                    and not exists (select from unnest(array[m.group_key, m.group_key2]) own (group_key)
                                     cross join lateral millrace_private.undecided(p_sink_no, own.group_key, m.id) u)) f));
end
$$;
