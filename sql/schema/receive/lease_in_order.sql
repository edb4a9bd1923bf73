-- The rest of lease_batches, whose locks it relies on: something is due again, or not every row may go. From here on rows may be
-- passed, so nobody may delete meanwhile: it holds X alone. What is read before that is read again.
-- Redeliveries take at most half of the batch while there are new messages (of an odd one now this half, now that), and what
-- those leave.
create or replace function millrace_private.lease_in_order(
  p_sink_no integer, p_batch integer, p_visibility interval, out token text, out ids bigint[], out more boolean)
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v record;
  v_now timestamptz;
  v_until timestamptz;
  v_batch integer;
  v_share integer;
  v_is_new boolean;
  v_new record;
begin
  ids := '{}';
  more := false;
  if not millrace_private.try_lock_consumer(p_sink_no, 'alone') then
    return;
  end if;
  v_now := clock_timestamp();
  select c.visibility_timeout, c.max_ack_pending, c.max_deliver, c.max_per_group,
         coalesce(k.id, 0) as passed_id, coalesce(k.seq, 0) as seq, coalesce(k.in_flight, 0)::bigint as in_flight,
         case when k.swept_at <= v_now then k.swept_at else '-infinity' end as swept_at
    into v
    from millrace_private.consumers c
    left join lateral (select l.id, l.seq, l.in_flight, l.swept_at
                         from millrace_private.cursor_log l
                        where l.sink_no = p_sink_no and l.lane = 0 order by l.seq desc limit 1) k on true
   where c.sink_no = p_sink_no;
  if not found then
    return;
  end if;
  v_until := v_now + coalesce(p_visibility, v.visibility_timeout);
  perform millrace_private.sweep_leases(p_sink_no, v.max_deliver, v_now, v.swept_at);

  if v.in_flight + p_batch > v.max_ack_pending then
    v.in_flight := millrace_private.count_leased(p_sink_no, v_now);
  end if;
  v_batch := least(p_batch, v.max_ack_pending - v.in_flight);
  if v_batch <= 0 then
    return;
  end if;
  token := replace(gen_random_uuid()::text, '-', '');
  v_is_new := exists (select from millrace_private.messages m
                       where m.sink_no = p_sink_no and m.lane = 0 and m.id > v.passed_id);
  v_share := case when v_is_new then (v_batch + (random() < 0.5)::integer) / 2 else v_batch end;
  ids := millrace_private.lease_due(p_sink_no, v_share, token, v_now, v_until);
  if v.max_per_group > 1 and cardinality(ids) between 1 and v_share - 1 then
    ids := ids || millrace_private.lease_following(
             p_sink_no, ids, v.passed_id, v.max_per_group, v_share - cardinality(ids), token, v_until);
  end if;
  select n.ids, n.hi, n.dense, n.more into v_new
    from millrace_private.lease_new(p_sink_no, v.passed_id, v.max_per_group, v_batch - cardinality(ids)) n;
  more := v_new.more;
  if v_is_new then
    ids := ids || millrace_private.lease_due(
             p_sink_no, v_batch - cardinality(ids) - cardinality(v_new.ids), token, v_now, v_until);
    v_share := v_batch - cardinality(ids) - cardinality(v_new.ids);
    if v.max_per_group > 1 and cardinality(ids) > 0 and v_share > 0 then
      ids := ids || millrace_private.lease_following(
               p_sink_no, ids, v.passed_id, v.max_per_group, v_share, token, v_until);
    end if;
  end if;

  ids := array(select i.id from unnest(ids || v_new.ids) i (id) order by i.id);
  if cardinality(ids) > 0 or v_new.hi > v.passed_id then
    perform millrace_private.write_lease(p_sink_no, token, v.passed_id, v_new.hi, v_until, v_new.ids, v_new.dense,
                                         v.seq + 1, (v.in_flight + cardinality(ids))::integer, v_now);
  end if;
  if cardinality(ids) = 0 then
    token := null;
  end if;
end
$$;
