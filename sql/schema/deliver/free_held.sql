-- After messages of these groups were delivered, deleted, parked or held, in a statement of its own: what was held behind
-- them, and is now behind nothing, becomes due: in an index one of each group (the next could fail), where a parked message
-- still holds back what does not carry the full document; elsewhere all up to the next one that is backing off.
-- Where messages may be of two groups, free_held_of_groups does it.
-- Shaping holds back nothing, for receive keeps the order; but messages that a receive has passed are looked at.
create or replace function millrace_private.free_held(p_sink_no integer, p_groups bigint[]) returns void
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set max_parallel_workers_per_gather = 0
set search_path = pg_catalog, pg_temp as $$
declare
  v_groups bigint[] := array(select distinct g from unnest(p_groups) g);
  v_now timestamptz := clock_timestamp();
  v_receivable boolean;
  v_replaces boolean;
  v_ordering text;
begin
  select s.receivable, s.replaces, s.ordering into v_receivable, v_replaces, v_ordering
    from millrace_private.sinks s where s.no = p_sink_no;
  if v_receivable then
    perform millrace_private.free_groups(p_sink_no, v_groups);
    return;
  end if;
  if v_ordering = 'group' then
    perform millrace_private.free_held_of_groups(p_sink_no, v_groups);
    return;
  end if;
  update millrace_private.delivery_states x set state = 'waiting', due_at = v_now
   where x.sink_no = p_sink_no and x.state = 'held' and x.id = any (array(
          select n.id
            from unnest(v_groups) g (group_key)
           cross join lateral (select e.id
                                 from millrace_private.delivery_states e
                                where e.sink_no = p_sink_no and e.group_key between g.group_key and g.group_key and e.state = 'held'
                                  and e.id < coalesce((select b.id
                                                         from millrace_private.delivery_states b
                                                        where b.sink_no = p_sink_no and b.group_key between g.group_key and g.group_key
                                                          and b.state <> 'held'
                                                          and (b.state <> 'parked' or v_replaces)
                                                        order by b.group_key, b.id limit 1), 9223372036854775807)
                                order by e.group_key, e.id
                                limit case when v_replaces then 1 end) n));
end
$$;
