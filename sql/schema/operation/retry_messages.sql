-- Puts parked messages back at their old place, to be tried at once and counted anew. Returns how many. Nothing is recorded: its
-- caller does so, in this transaction or where it was asked for. One of which capture kept the key alone stays parked: a row without
-- its other columns would take the place of a document that has them. A delete needs no more than its key.
create or replace function millrace_private.retry_messages(p_sink_no integer, p_ids bigint[]) returns integer
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set max_parallel_workers_per_gather = 0
set search_path = pg_catalog, pg_temp as $$
declare
  -- (A value that the planner does not know: it would take the index of all that is parked, and read that for each call.)
  c_parked constant text := 'parked';
  v_count integer;
begin
  perform millrace_private.limit_idling();
  perform from millrace_private.lanes l where l.sink_no = p_sink_no order by l.lane for no key update;
  perform millrace_private.try_lock_consumer(p_sink_no, 'shared');
  update millrace_private.delivery_states x
     set state = 'retrying', attempts = 0, due_at = clock_timestamp(), parked_at = null, token = null
   where x.sink_no = p_sink_no and x.id = any (p_ids) and x.state = c_parked
     and not (millrace_private.is_key_only(x.stage, x.error)
              and (select m.action from millrace_private.messages m
                    where m.sink_no = p_sink_no and m.lane = x.lane and m.id = x.id) is distinct from 'delete');
  get diagnostics v_count = row_count;
  if v_count > 0 then
    perform pg_notify('millrace_messages', p_sink_no::text);
  end if;
  return v_count;
end
$$;
