-- Leases messages of a consumer for several clients at once, in the order in which they came: up to p_batches[n] for the nth.
-- For each, its lease's token (null without one) and how many messages are in it; ids has those of all, one client's after the
-- other's. There may be fewer entries than clients, 1 at least: for the others nothing was looked for, as what there is has more
-- than p_bytes. more: it stopped because it had passed 1,000 rows, and another call may find something behind them. bytes,
-- table_no: each lease is every row between its first and its last, all together have no more bytes of data than that, and are of
-- this one table (null: of several); bytes is null when that is not known.
--
-- Order: a row may go out if no earlier row of its group exists (a parked one does not count). A row above the cursor
-- that may not go is passed, and remembered nowhere: when the last earlier row of its group goes, whoever deletes that
-- row looks up the next one and makes it due if it is at or below the cursor (free_groups).
-- Nearly always all of the next rows may go and nothing else is due: they are leased as ranges (lease_ranges), for all clients
-- in one statement; for one client here, because that call would cost a small batch a tenth of its receive. The rest does
-- lease_in_order, for one client after the other.
--
-- Locks, always in this order: the consumer's turn, X, the lease row, delivery states, group locks (add_locks says what they
-- are). Each is had before the statement that relies on it begins, for that statement's snapshot must be younger: so everything
-- runs read committed, each step in a statement of its own.
--   The turn: one receive after the other; consumer_status shows who has it.
--   A receive that may pass rows holds X alone, an acknowledgement holds it shared: otherwise a receive could pass a row
--   whose predecessor is being deleted right now, and nobody would ever look at it again.
--
-- How rows are found is set by whoever calls: by the functions for psql, and by the connections of the roles for themselves.
-- ("offset 0" in an exists keeps it a probe by index: a join or a hash with all states, or all rows, is slow as soon as
-- there are many. Statistics of a table that is nearly always empty make all its indexes look alike, and the wrong one leads
-- past every row that was deleted while somebody keeps a snapshot open: an order that only one index gives leaves no choice.)
create or replace function millrace_private.lease_batches(
  p_sink_no integer, p_batches integer[], p_visibility interval, p_bytes bigint,
  out tokens text[], out sizes integer[], out ids bigint[], out more boolean, out bytes bigint, out table_no integer)
language plpgsql set lock_timeout = '2s'
set search_path = pg_catalog, pg_temp as $$
declare
  v record; r record;
  v_now timestamptz; v_until timestamptz;
  v_wanted bigint;
  v_clear integer;
  v_go boolean;
  v_answered text := coalesce(current_setting('millrace.answered', true), '');
begin
  tokens := '{}'; sizes := '{}'; ids := '{}'; more := false;
  v_go := case when v_answered = '' then millrace_private.lock_consumer(p_sink_no, 'turn')
               else v_answered = 'turn ' || p_sink_no or millrace_private.try_lock_consumer(p_sink_no, 'turn') end;
  while v_go and cardinality(sizes) < cardinality(p_batches) loop
    v_now := clock_timestamp();
    v_wanted := p_batches[1];
    if cardinality(p_batches) > 1 then
      select sum(b) into v_wanted from unnest(p_batches[cardinality(sizes) + 1 :]) b;
    end if;
    select n.* into v from millrace_private.next_messages(p_sink_no, v_wanted, v_now) n;
    exit when not found or not v.active or (v.ids is null and not v.is_due);
    if v.bytes > p_bytes and cardinality(sizes) + 1 < cardinality(p_batches) then
      p_batches := p_batches[1 : cardinality(sizes) + 1];
      continue;
    end if;

    -- So many of them may go, seen from the first one.
    v_clear := 0;
    if not v.is_due and v.max_per_group = 1 then
      if v.in_flight + v_wanted > v.max_ack_pending then
        v.in_flight := millrace_private.count_leased(p_sink_no, v_now);
        v.ids := v.ids[1 : greatest(v.max_ack_pending - v.in_flight, 0)::integer];
        exit when cardinality(v.ids) = 0;
      end if;
      v_clear := case when v.has_state then 0 else least(v.blocked - 1, cardinality(v.ids)) end;
      -- (Changed keys are not looked at for each row of many: it would cost small batches as much. Who commits meanwhile comes behind.
      -- Nested: Postgres prepares a subquery anew in each call, also where the condition before it is false.)
      if v_wanted > 8 then
        if exists (select from millrace_private.behind_changed_key(p_sink_no, v.passed_id, v.hi)) then v_clear := 0; end if;
      end if;
    end if;
    if v_clear > 0 and (v_clear = cardinality(v.ids) or v_clear >= p_batches[cardinality(sizes) + 1]) then
      if cardinality(sizes) = 0 and v_clear = cardinality(v.ids) and v.bytes <= p_bytes then
        bytes := v.bytes; table_no := v.table_no;
      end if;
      v_until := v_now + coalesce(p_visibility, v.visibility_timeout);
      if cardinality(p_batches) = 1 then
        ids := v.ids;
        tokens := array[replace(gen_random_uuid()::text, '-', '')];
        sizes := array[v_clear];
        insert into millrace_private.leases (sink_no, token, lo, hi, until, size, remaining, dense, digest)
        values (p_sink_no, tokens[1], v.passed_id, ids[v_clear], v_until, v_clear, v_clear, true, hash_array_extended(ids, 0));
        insert into millrace_private.cursor_log (sink_no, lane, seq, id, in_flight, swept_at)
        values (p_sink_no, 0, v.seq + 1, ids[v_clear], v.in_flight + v_clear, v_now);
        if (v.seq + 1) % 64 = 0 then perform millrace_private.forget_cursors(p_sink_no, v.seq + 1); end if;
        return;
      end if;
      r := millrace_private.lease_ranges(
             p_sink_no, p_batches[cardinality(sizes) + 1 :], v.ids, v_clear, v.passed_id, v.seq, v.in_flight::integer, v_now, v_until);
      ids := ids || v.ids[1 : r.leased];
      tokens := tokens || r.tokens;
      sizes := sizes || r.sizes;
      v_go := v_clear < cardinality(v.ids);
    else
      bytes := null;
      r := millrace_private.lease_in_order(p_sink_no, p_batches[cardinality(sizes) + 1], p_visibility);
      ids := ids || r.ids;
      tokens := array_append(tokens, r.token);
      sizes := sizes || cardinality(r.ids);
      more := r.more;
      v_go := r.token is not null or more;
    end if;
  end loop;
  sizes := sizes || array_fill(0, array[cardinality(p_batches) - cardinality(sizes)]);
end
$$;
