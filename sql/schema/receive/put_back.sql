-- What else a client does with messages that it has, by p_what: nack (again after p_delay, counted as tried; parked when it was
-- the last time), extend (its own for p_delay from now), release (untouched, no attempt counted). Returns to how many it applied;
-- an id that its token holds no longer is left out. The messages leave the straight path: each gets a delivery state.
--
-- Locks and how rows are found: see acknowledge.
create or replace function millrace_private.put_back(
  p_sink_no integer, p_what text, p_ack_ids text[], p_delay interval) returns integer
language plpgsql set lock_timeout = '10s'
set search_path = pg_catalog, pg_temp as $$
declare
  -- (A value that the planner does not know: it would take the index of all that is leased, and read that for each token.)
  c_leased constant text := 'leased';
  c_state constant text := case p_what when 'nack' then 'retrying' when 'extend' then 'leased' else 'waiting' end;
  c_stage constant text := case p_what when 'nack' then 'receive' end;
  c_error constant text := case p_what when 'nack' then 'given back by the client' end;
  t record;
  v_lease record;
  v_due_at timestamptz;
  v_taken integer;
  v_count integer := 0;
  v_groups bigint[] := '{}';
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    perform millrace_private.require_read_committed();
  end if;
  if not millrace_private.try_lock_consumer(p_sink_no, 'shared') then
    return 0;
  end if;
  -- Until the end of the transaction: see try_lock_consumer.
  perform set_config('millrace.answered', 'yes', true);
  v_due_at := clock_timestamp() + p_delay;
  for t in select k.token, k.ids from millrace_private.known_tokens(p_sink_no, p_ack_ids) k loop
    -- Those still on the straight path: in the lease, and without a state.
    v_taken := 0;
    select l.place, l.lo, l.hi, l.dense, l.ids into v_lease from millrace_private.lock_lease(p_sink_no, t.token) l;
    if v_lease.place is not null then
      insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, due_at, token, stage, error,
                                                    source_table, action, record_pks, committed_at)
      select p_sink_no, m.id, 0, m.group_key, c_state, (p_what <> 'release')::integer, v_due_at, t.token, c_stage, c_error,
             m.source_table, m.action::"char", m.record_pks, m.committed_at
        from millrace_private.messages m
       where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (t.ids)
         and m.id > v_lease.lo and m.id <= v_lease.hi and (v_lease.dense or m.id = any (v_lease.ids))
          on conflict (sink_no, id) do nothing;
      get diagnostics v_taken = row_count;
      if v_taken > 0 then
        perform millrace_private.shrink_lease(v_lease.place, v_taken);
      end if;
      v_count := v_count + v_taken;
    end if;

    -- Those that this token was the last to hold; the ones above are among them, and are as they should be.
    if v_taken < cardinality(t.ids) then
      update millrace_private.delivery_states x
         set state = c_state, attempts = x.attempts - (p_what = 'release')::integer, due_at = v_due_at,
             stage = c_stage, error = c_error
       where x.sink_no = p_sink_no and x.id = any (t.ids) and x.lane = 0 and x.token = t.token
         and x.state = c_leased and x.due_at is distinct from v_due_at;
      get diagnostics v_taken = row_count;
      v_count := v_count + v_taken;
    end if;
    if p_what = 'nack' then
      v_groups := v_groups || millrace_private.park_spent(p_sink_no, t.token, t.ids);
    end if;
  end loop;
  if cardinality(v_groups) > 0 then
    perform millrace_private.free_groups(p_sink_no, v_groups);
  end if;
  return v_count;
end
$$;
