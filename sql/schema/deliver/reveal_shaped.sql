-- A message that is shaped late (it was parked and retried) may lie below the consumer's cursor, where no receive looks:
-- it is made due. Above the cursor receive finds it by itself. X keeps the cursor still: it is waited for as long as a receive does,
-- for all acknowledgements wait behind whoever wants it alone. p_ids ascend.
create or replace function millrace_private.reveal_shaped(p_sink_no integer, p_ids bigint[]) returns void language plpgsql
set lock_timeout = '2s' set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from millrace_private.delivery_states x
                  where x.sink_no = p_sink_no and x.lane = 1
                    and x.id >= p_ids[1] and x.id <= p_ids[cardinality(p_ids)]) then
    return;
  end if;
  perform millrace_private.try_lock_consumer(p_sink_no, 'alone');
  insert into millrace_private.delivery_states as e
         (sink_no, id, lane, group_key, state, attempts, due_at, source_table, action, record_pks, committed_at)
  select p_sink_no, m.id, 0, m.group_key, 'waiting', 0, clock_timestamp(), m.source_table, m.action::"char", m.record_pks, m.committed_at
    from millrace_private.messages m
   where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (p_ids)
     and m.id <= coalesce((select c.id from millrace_private.cursor_log c
                            where c.sink_no = p_sink_no and c.lane = 0 order by c.seq desc limit 1), 0)
     and exists (select from millrace_private.delivery_states x where x.sink_no = p_sink_no and x.lane = 1 and x.id = m.id)
      on conflict (sink_no, id) do update
     set lane = 0, state = 'waiting', attempts = 0, due_at = excluded.due_at, stage = null, error = null, token = null;
end
$$;
