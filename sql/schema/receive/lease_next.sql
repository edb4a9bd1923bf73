-- Leases up to p_batch messages of a consumer: their ids, in order, and the lease's token (null when there are none).
-- more: it stopped because it had passed 1,000 rows, and another call may find something behind them. bytes, table_no: the
-- batch is every row between its first and its last, with so many bytes of data, and of this one table (null: of several);
-- bytes is null when that is not known.
--
-- Order: a row may go out if no earlier row of its group exists (a parked one does not count). A row above the cursor
-- that may not go is passed, and remembered nowhere: when the last earlier row of its group goes, whoever deletes that
-- row looks up the next one and makes it due if it is at or below the cursor (free_groups).
--
-- Locks, always in this order: the consumer's turn, X, the lease row, delivery states, group locks (add_locks says what they are).
-- Each is had before the statement that relies on it begins, for that statement's snapshot must be younger: so everything
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
  r record;
  v_active boolean;
  v_visibility interval;
  v_max_ack_pending integer;
  v_max_deliver integer;
  v_max_per_group integer;
  v_now timestamptz;
  v_until timestamptz;
  v_cursor bigint;
  v_seq bigint;
  v_due boolean;
  v_more boolean;
  v_in_flight bigint;
  v_swept_at timestamptz;
  v_batch integer;
  v_may boolean;
  v_hi bigint;
  v_passed integer := 0;
  v_parked boolean;
  v_bytes bigint;
  v_table_no integer;
  v_bound bigint;
  v_new bigint[] := '{}';
  v_groups bigint[] := '{}';
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

  -- Leases that ended before the last receive looked were swept, unless the server's clock was set back since. A row that
  -- capture parked on arrival has a state already.
  select c.active, c.visibility_timeout, c.max_ack_pending, c.max_deliver, c.max_per_group,
         coalesce(k.id, 0), coalesce(k.seq, 0), coalesce(k.in_flight, 0), coalesce(k.swept_at, '-infinity'),
         coalesce((select true from millrace_private.leases l
                    where l.sink_no = p_sink_no and l.until <= v_now and l.until > coalesce(k.swept_at, '-infinity')
                    order by l.until limit 1), false)
         or coalesce((select true from millrace_private.delivery_states x
                       where x.sink_no = p_sink_no and x.lane = 0 and x.due_at <= v_now
                       order by x.due_at limit 1), false),
         b.ids, b.may, b.hi, b.bytes, b.table_no,
         coalesce((select true from millrace_private.delivery_states x
                    where x.sink_no = p_sink_no and x.id > coalesce(k.id, 0) and x.id <= b.hi
                    order by x.id limit 1), false)
    into v_active, v_visibility, v_max_ack_pending, v_max_deliver, v_max_per_group,
         v_cursor, v_seq, v_in_flight, v_swept_at, v_due,
         v_new, v_may, v_hi, v_bytes, v_table_no, v_parked
    from millrace_private.consumers c
    left join lateral (select l.id, l.seq, l.in_flight,
                              case when l.swept_at > v_now then '-infinity' else l.swept_at end as swept_at
                         from millrace_private.cursor_log l
                        where l.sink_no = p_sink_no and l.lane = 0 order by l.seq desc limit 1) k on true
    left join lateral (
           select array_agg(f.id) as ids, bool_and(f.may) as may, max(f.id) as hi, sum(f.bytes) as bytes,
                  case when min(f.source_table) = max(f.source_table) then min(f.source_table) end as table_no
             from (select m.id, m.source_table,
                          octet_length(m.record) + coalesce(octet_length(m.changes), 0)
                            + coalesce(octet_length(m.payload), 0) as bytes,
                          m.group_key2 is null
                          and not exists (select from millrace_private.messages e
                                           where e.sink_no = p_sink_no and e.group_key = m.group_key and e.id < m.id)
                          and (p_batch > 8
                               or not exists (select from millrace_private.messages e
                                               where e.sink_no = p_sink_no and e.group_key2 = m.group_key
                                                 and e.id < m.id)) as may
                     from millrace_private.messages m
                    where m.sink_no = p_sink_no and m.lane = 0 and m.id > coalesce(k.id, 0)
                    order by m.id limit p_batch) f) b on true
   where c.sink_no = p_sink_no;
  if not found or not v_active then
    return;
  end if;
  v_until := v_now + coalesce(p_visibility, v_visibility);

  if v_new is not null and not v_due and v_max_per_group = 1 then
    if v_in_flight + p_batch > v_max_ack_pending then
      v_in_flight := millrace_private.count_leased(p_sink_no, v_now);
      v_batch := least(v_max_ack_pending - v_in_flight, cardinality(v_new));
      if v_batch <= 0 then
        return;
      end if;
      v_new := v_new[1:v_batch];
      v_hi := v_new[v_batch];
    end if;
    if p_batch > 8 and v_may then
      -- Rows with a changed key are rare: of a large batch it is not asked for each row whether there is one before it.
      -- (Not in the statement above, where it would cost small batches as much. Who commits meanwhile comes behind.)
      v_may := (select true from millrace_private.messages k
                 where k.sink_no = p_sink_no and k.group_key2 is not null order by k.group_key2 limit 1) is null
               or (select bool_and(not exists (select from millrace_private.messages e
                                                where e.sink_no = p_sink_no and e.group_key2 = m.group_key
                                                  and e.id < m.id))
                     from millrace_private.messages m
                    where m.sink_no = p_sink_no and m.lane = 0 and m.id > v_cursor and m.id <= v_hi);
    end if;
    if v_may and not v_parked then
      token := replace(gen_random_uuid()::text, '-', '');
      ids := v_new;
      bytes := v_bytes;
      table_no := v_table_no;
      with lease as (
        insert into millrace_private.leases (sink_no, token, lo, hi, until, size, remaining, dense, digest)
        values (p_sink_no, token, v_cursor, v_hi, v_until, cardinality(v_new), cardinality(v_new), true,
                hash_array_extended(v_new, 0))
      )
      insert into millrace_private.cursor_log (sink_no, lane, seq, id, in_flight, swept_at)
      values (p_sink_no, 0, v_seq + 1, v_hi, v_in_flight + cardinality(v_new), v_now);
      if (v_seq + 1) % 64 = 0 then
        delete from millrace_private.cursor_log c
         where c.sink_no = p_sink_no and c.lane = 0 and c.seq <= v_seq and c.seq >= v_seq - 127;
      end if;
      return;
    end if;
  elsif v_new is null and not v_due then
    return;
  end if;

  -- Something is due, or not every row may go: from here on rows may be passed, so nobody may delete meanwhile.
  if not millrace_private.lock_consumer(p_sink_no, 'alone') then
    return;
  end if;
  v_now := clock_timestamp();
  v_until := v_now + coalesce(p_visibility, v_visibility);
  v_new := '{}';
  perform millrace_private.sweep(p_sink_no, v_max_deliver, v_now, v_swept_at);

  if v_in_flight + p_batch > v_max_ack_pending then
    v_in_flight := millrace_private.count_leased(p_sink_no, v_now);
  end if;
  v_batch := least(p_batch, v_max_ack_pending - v_in_flight);
  if v_batch <= 0 then
    return;
  end if;
  token := replace(gen_random_uuid()::text, '-', '');
  v_more := exists (select from millrace_private.messages m
                     where m.sink_no = p_sink_no and m.lane = 0 and m.id > v_cursor);

  -- Redeliveries take at most half of the batch while there are new messages (of an odd one now this half, now that).
  ids := millrace_private.lease_due(p_sink_no,
           case when v_more then (v_batch + (random() < 0.5)::integer) / 2 else v_batch end, token, v_now, v_until);

  v_hi := v_cursor;
  if v_more and cardinality(ids) < v_batch then
    v_bound := case when v_max_per_group = 1 then 9223372036854775807 else v_cursor + 1 end;
    for r in
      select m.id, m.group_key,
             exists (select from millrace_private.delivery_states x
                      where x.sink_no = p_sink_no and x.id = m.id offset 0) as has_state,
             exists (select from millrace_private.messages e
                      where e.sink_no = p_sink_no and e.group_key = m.group_key and e.id < least(m.id, v_bound)
                        and not exists (select from millrace_private.delivery_states p
                                         where p.sink_no = p_sink_no and p.id = e.id and p.state = 'parked' offset 0))
             or exists (select from millrace_private.messages e
                         where e.sink_no = p_sink_no and e.group_key2 = m.group_key and e.id < m.id
                           and not exists (select from millrace_private.delivery_states p
                                            where p.sink_no = p_sink_no and p.id = e.id and p.state = 'parked' offset 0))
             or (m.group_key2 is not null and (
                   exists (select from millrace_private.messages e
                            where e.sink_no = p_sink_no and e.group_key = m.group_key and e.id < m.id
                              and not exists (select from millrace_private.delivery_states p
                                               where p.sink_no = p_sink_no and p.id = e.id and p.state = 'parked' offset 0))
                   or exists (select from millrace_private.messages e
                               where e.sink_no = p_sink_no and e.group_key = m.group_key2 and e.id < m.id
                                 and not exists (select from millrace_private.delivery_states p
                                                  where p.sink_no = p_sink_no and p.id = e.id and p.state = 'parked' offset 0))
                   or exists (select from millrace_private.messages e
                               where e.sink_no = p_sink_no and e.group_key2 = m.group_key2 and e.id < m.id
                                 and not exists (select from millrace_private.delivery_states p
                                                  where p.sink_no = p_sink_no and p.id = e.id and p.state = 'parked' offset 0))
                )) as behind,
             case when v_max_per_group = 1 or m.group_key is null then 0
                  else (select count(*) from (select from millrace_private.messages e
                                               where e.sink_no = p_sink_no and e.group_key = m.group_key
                                                 and e.id < m.id and e.id > v_cursor
                                                 and not exists (select from millrace_private.delivery_states p
                                                                  where p.sink_no = p_sink_no and p.id = e.id
                                                                    and p.state = 'parked' offset 0)
                                               limit v_max_per_group) before) end as before
        from millrace_private.messages m
       where m.sink_no = p_sink_no and m.lane = 0 and m.id > v_cursor
       order by m.id
    loop
      if r.has_state then
        more := v_passed >= 1000;
        exit when more;
        v_passed := v_passed + 1;
      elsif r.behind or r.before >= v_max_per_group
            or r.before > coalesce(cardinality(array_positions(v_groups, r.group_key)), 0) then
        -- The last condition: of those before it in its group, one does not go now (max_per_group above 1).
        more := v_passed >= 1000;
        exit when more;
        v_passed := v_passed + 1;
      else
        v_new := v_new || r.id;
        if v_max_per_group > 1 then
          v_groups := v_groups || r.group_key;
        end if;
      end if;
      v_hi := r.id;
      exit when cardinality(v_new) + cardinality(ids) = v_batch;
    end loop;
    if cardinality(ids) + cardinality(v_new) < v_batch then
      ids := ids || millrace_private.lease_due(
               p_sink_no, v_batch - cardinality(ids) - cardinality(v_new), token, v_now, v_until);
    end if;
    ids := ids || v_new;
  end if;
  if cardinality(ids) > 0 or v_hi > v_cursor then
    perform millrace_private.note_lease(p_sink_no, token, v_cursor, v_hi, v_until, v_new, v_passed = 0,
                                        v_seq + 1, (v_in_flight + cardinality(ids))::integer, v_now);
  end if;
  if cardinality(ids) = 0 then
    token := null;
  else
    select array_agg(i.id order by i.id) into ids from unnest(ids) i (id);
  end if;
end
$$;
