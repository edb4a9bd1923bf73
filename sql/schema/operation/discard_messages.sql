-- Deletes messages that failed: parked, backing off or held. Returns how many. Takes the lanes' rows first: see settle. Messages
-- are found by lane and id, as their index has them, however many wait. Counted here, in its own transaction: whoever gives up is a
-- person, who comes rarely. Recorded by its caller, as retry_messages.
create or replace function millrace_private.discard_messages(p_sink_no integer, p_ids bigint[]) returns integer
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set max_parallel_workers_per_gather = 0
set search_path = pg_catalog, pg_temp as $$
declare
  v_count integer;
  v_groups bigint[];
begin
  perform millrace_private.limit_idling();
  perform from millrace_private.lanes l where l.sink_no = p_sink_no order by l.lane for no key update;
  perform millrace_private.try_lock_consumer(p_sink_no, 'shared');
  with dropped as (
    delete from millrace_private.delivery_states x
     where x.sink_no = p_sink_no and x.id = any (p_ids) and x.state in ('parked', 'retrying', 'held')
    returning x.id, x.lane
  ), gone as (
    delete from millrace_private.messages m using dropped d where m.sink_no = p_sink_no and m.lane = d.lane and m.id = d.id
    returning m.group_key, m.group_key2
  )
  select count(*), array_agg(g.group_key) filter (where g.group_key is not null)
         || coalesce(array_agg(g.group_key2) filter (where g.group_key2 is not null), '{}')
    into v_count, v_groups from gone g;
  if cardinality(v_groups) > 0 then
    perform millrace_private.free_held(p_sink_no, v_groups);
  end if;
  if v_count > 0 then
    perform pg_notify('millrace_messages', p_sink_no::text);
    perform millrace_private.add_counters(jsonb_build_array(jsonb_build_object('sink_no', p_sink_no, 'discarded', v_count)));
  end if;
  return v_count;
end
$$;
