-- Leases up to p_batch messages of a consumer: their ids, in order, and the lease's token (null when there are none).
-- more: it stopped because it had passed 1,000 rows, and another call may find something behind them. bytes, table_no: the
-- batch is every row between its first and its last, with so many bytes of data, and of this one table (null: of several);
-- bytes is null when that is not known.
--
-- Order: a row may go out if no earlier row of its group exists (a parked one does not count). A row above the cursor
-- that may not go is passed, and remembered nowhere: when the last earlier row of its group goes, whoever deletes that
-- row looks up the next one and makes it due if it is at or below the cursor (free_groups).
-- Nearly always all of the next rows may go and nothing else is due: they are leased here, as a range. The rest does
-- lease_in_order.
--
-- Locks, always in this order: the consumer's turn, X, the lease row, delivery states, group locks (add_locks says what they
-- are). Each is had before the statement that relies on it begins, for that statement's snapshot must be younger: so everything
-- runs read committed, each step in a statement of its own.
--   A receive that may pass rows holds X alone, an acknowledgement holds it shared: otherwise a receive could pass a row
--   whose predecessor is being deleted right now, and nobody would ever look at it again.
--
-- How rows are found is set by whoever calls: by the functions for psql, and by the connections of the roles for themselves.
-- ("offset 0" in an exists keeps it a probe by index: a join or a hash with all states, or all rows, is slow as soon as
-- there are many. Statistics of a table that is nearly always empty make all its indexes look alike, and the wrong one leads
-- past every row that was deleted while somebody keeps a snapshot open: an order that only one index gives leaves no choice.)
create or replace function millrace_private.lease_next(
  p_sink_no integer, p_batch integer, p_visibility interval, out token text, out ids bigint[], out more boolean,
  out bytes bigint, out table_no integer)
language plpgsql set lock_timeout = '2s'
set search_path = pg_catalog, pg_temp as $$
declare
  v record;
  v_now timestamptz;
  v_is_straight boolean;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    perform millrace_private.require_read_committed();
  end if;
  ids := '{}';
  more := false;
  -- One receive after the other; consumer_status shows who holds the lock.
  if current_setting('millrace.answered', true) = 'yes' then
    perform set_config('lock_timeout', millrace_private.patience(), true);
  end if;
  if not millrace_private.lock_consumer(p_sink_no, 'turn') then
    return;
  end if;
  v_now := clock_timestamp();
  select a.* into v from millrace_private.look_ahead(p_sink_no, p_batch, v_now) a;
  if not found or not v.active or (v.ids is null and not v.is_due) then
    return;
  end if;

  v_is_straight := not v.is_due and v.max_per_group = 1;
  if v_is_straight and v.in_flight + p_batch > v.max_ack_pending then
    v.in_flight := millrace_private.count_leased(p_sink_no, v_now);
    v.ids := v.ids[1:(v.max_ack_pending - v.in_flight)::integer];
    if cardinality(v.ids) = 0 then
      return;
    end if;
    v.hi := v.ids[cardinality(v.ids)];
  end if;
  v_is_straight := v_is_straight and v.may and not v.has_state;
  if v_is_straight and p_batch > 8 then
    -- (Not looked at for each row above, where it would cost small batches as much. Who commits meanwhile comes behind.)
    v_is_straight := not exists (select from millrace_private.behind_changed_key(p_sink_no, v.passed_id, v.hi));
  end if;
  if not v_is_straight then
    select o.token, o.ids, o.more into token, ids, more
      from millrace_private.lease_in_order(p_sink_no, p_batch, p_visibility) o;
    return;
  end if;

  token := replace(gen_random_uuid()::text, '-', '');
  ids := v.ids;
  bytes := v.bytes;
  table_no := v.table_no;
  with lease as (
    insert into millrace_private.leases (sink_no, token, lo, hi, until, size, remaining, dense, digest)
    values (p_sink_no, token, v.passed_id, v.hi, v_now + coalesce(p_visibility, v.visibility_timeout), cardinality(ids),
            cardinality(ids), true, hash_array_extended(ids, 0))
  )
  insert into millrace_private.cursor_log (sink_no, lane, seq, id, in_flight, swept_at)
  values (p_sink_no, 0, v.seq + 1, v.hi, v.in_flight + cardinality(ids), v_now);
  if (v.seq + 1) % 64 = 0 then
    delete from millrace_private.cursor_log c
     where c.sink_no = p_sink_no and c.lane = 0 and c.seq <= v.seq and c.seq >= v.seq - 127;
  end if;
end
$$;
