-- Messages of a batch that stay: writes each one's delivery state (`as_it_was`: not touched). Returns their ids, and the groups of
-- those that are parked or held, for what is behind them to be looked at (free_held). Writes down what failed. Called by settle.
create or replace function millrace_private.keep_messages(
  p_sink_no integer, p_lane integer, p_kept jsonb, out kept bigint[], out groups bigint[])
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  with kept as (
    select k.id, k.state, k.attempts, k.delay_ms, k.stage, k.error
      from jsonb_to_recordset(p_kept)
           as k (id bigint, state text, attempts integer, delay_ms double precision, stage text, error text)
  ), stays as (
    insert into millrace_private.delivery_states as e
           (sink_no, id, lane, group_key, state, attempts, due_at, stage, error, parked_at,
            source_table, action, record_pks, committed_at)
    select p_sink_no, m.id, p_lane, m.group_key, k.state, k.attempts,
           case when k.state in ('retrying', 'waiting') then clock_timestamp() + k.delay_ms * interval '1 ms' end,
           k.stage, k.error, case when k.state = 'parked' then clock_timestamp() end,
           m.source_table, m.action::"char", m.record_pks, m.committed_at
      from kept k
      join millrace_private.messages m on m.sink_no = p_sink_no and m.lane = p_lane and m.id = k.id
     where k.state <> 'as_it_was'
        on conflict (sink_no, id) do update
       set state = excluded.state, attempts = excluded.attempts, due_at = excluded.due_at, stage = excluded.stage,
           error = excluded.error, parked_at = excluded.parked_at,
           source_table = excluded.source_table, action = excluded.action, record_pks = excluded.record_pks,
           committed_at = excluded.committed_at
  )
  select array_agg(k.id),
         coalesce(array_agg(m.group_key) filter (where m.group_key is not null), '{}')
         || coalesce(array_agg(m.group_key2) filter (where m.group_key2 is not null), '{}')
    into kept, groups
    from kept k
    left join millrace_private.messages m
           on m.sink_no = p_sink_no and m.lane = p_lane and m.id = k.id and k.state in ('parked', 'held');
  perform millrace_private.record_attempts(p_sink_no, p_kept);
end
$$;
