-- Receive and acknowledge, for HTTP and psql alike.
--
-- Order: a row may go out if no earlier row of its group exists (a parked one does not count). A row above the cursor
-- that may not go is passed, and remembered nowhere: when the last earlier row of its group goes, whoever deletes that
-- row looks up the next one and makes it due if it is at or below the cursor.
--
-- Locks, always in this order: the consumer's row, X (advisory, one a consumer), the lease row, exceptions, group locks.
--   A receive that may pass rows holds X exclusively, an acknowledgement holds it shared: otherwise a receive could pass
--   a row whose predecessor is being deleted right now, and nobody would ever look at it again.
-- The functions that are called from outside set how they are planned (by index, whatever the statistics say), for those
-- too that they call.
-- ("offset 0" in an exists keeps it a probe by index: a join or a hash with all exceptions, or all rows, is slow as soon as
-- there are many.)
-- Everything runs read committed, each step in a statement of its own: a statement's snapshot is older than the locks it
-- waited for.

-- The consumer's number by its name or id. Raises MR404.
create function millrace_private.consumer_no(p_consumer text) returns integer
language plpgsql stable set plan_cache_mode = force_generic_plan as $$
declare
  v_no integer;
begin
  select s.no into v_no from millrace_private.sinks s where s.kind = 'pull' and s.name = p_consumer;
  if not found then
    select s.no into v_no from millrace_private.sinks s where s.kind = 'pull' and s.id::text = p_consumer;
  end if;
  if v_no is null then
    raise exception 'there is no pull consumer of this name or id' using errcode = 'MR404',
      hint = 'select sink_name from millrace.consumer_status';
  end if;
  return v_no;
end
$$;

create function millrace_private.require_read_committed() returns void language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'this function needs a read committed transaction, this one is %',
      current_setting('transaction_isolation') using errcode = '25001',
      hint = 'begin isolation level read committed';
  end if;
end
$$;

-- An ack_id is <32 hexadecimal digits of the lease's token>-<message id>. What is not of this form is left out. Nearly
-- always all are of one lease: then its token is cut out of all of them at once.
create function millrace_private.parse_ack_ids(p_ack_ids text[]) returns table (token text, ids bigint[])
language plpgsql immutable as $$
declare
  v_token text := left(p_ack_ids[1], 32);
  v_all text := array_to_string(p_ack_ids, ',');
  v_ids text := replace(v_all, v_token || '-', '');
begin
  if octet_length(v_all) - octet_length(v_ids) = 33 * cardinality(p_ack_ids)
     and v_ids ~ '^[0-9]{1,18}(,[0-9]{1,18})*$' then
    if cardinality(p_ack_ids) = 1 then
      token := v_token;
      ids := array[v_ids::bigint];
      return next;
      return;
    end if;
    return query select v_token, array_agg(distinct i.id) from unnest(('{' || v_ids || '}')::bigint[]) i (id);
    return;
  end if;
  return query
    select left(a, 32), array_agg(distinct substr(a, 34)::bigint)
      from unnest(p_ack_ids) a
     where length(a) between 34 and 51 and substr(a, 33, 1) = '-'
       and translate(substr(a, 34), '0123456789', '') = ''
     group by left(a, 32)
     order by left(a, 32);
end
$$;

-- After rows of these groups were deleted or parked, in a statement of its own: makes each group's next row due, if it
-- was passed. A next row that somebody holds is left to its own acknowledgement; two of those at once could each see
-- the other's row still there, so such a group is looked at a second time under a lock of its own.
create function millrace_private.free_groups(
  p_sink_no integer, p_groups bigint[], p_due timestamptz default clock_timestamp()) returns void
language plpgsql as $$
declare
  v_groups bigint[];
  v_group bigint;
  v_round integer := 0;
begin
  -- Most often there is no next row at all.
  select array_agg(g.group_key) into v_groups
    from unnest(p_groups) g (group_key)
   where exists (select from millrace_private.messages m
                  where m.sink_no = p_sink_no and m.group_key = g.group_key offset 0)
      or exists (select from millrace_private.messages m
                  where m.sink_no = p_sink_no and m.group_key2 = g.group_key offset 0);
  if v_groups is null then
    return;
  end if;
  loop
    with next_row as materialized (
      select g.group_key, n.id, n.lane, n.row_group,
             x.state,
             n.id <= coalesce((select c.id from millrace_private.cursor_log c
                                where c.sink_no = p_sink_no and c.lane = 0 order by c.seq desc limit 1), 0) as passed,
             coalesce((select l.lo < n.id and (l.dense or n.id = any (l.ids))
                         from millrace_private.leases l
                        where l.sink_no = p_sink_no and l.hi >= n.id order by l.hi limit 1), false) as in_lease
        from unnest(v_groups) g (group_key)
       cross join lateral (
             select f.id, f.lane, f.row_group
               from ((select m.id, m.lane, m.group_key as row_group from millrace_private.messages m
                       where m.sink_no = p_sink_no and m.group_key = g.group_key
                         and not exists (select from millrace_private.exceptions p
                                          where p.sink_no = p_sink_no and p.id = m.id and p.state = 'parked' offset 0)
                       order by m.id limit 1)
                     union all
                     (select m.id, m.lane, m.group_key as row_group from millrace_private.messages m
                       where m.sink_no = p_sink_no and m.group_key2 = g.group_key
                         and not exists (select from millrace_private.exceptions p
                                          where p.sink_no = p_sink_no and p.id = m.id and p.state = 'parked' offset 0)
                       order by m.id limit 1)) f
              order by f.id limit 1) n
        left join millrace_private.exceptions x on x.sink_no = p_sink_no and x.id = n.id
    ), freed as (
      insert into millrace_private.exceptions as e (sink_no, id, lane, group_key, state, attempts, due_at)
      select distinct on (n.id) p_sink_no, n.id, 0, n.row_group, 'waiting', 0, p_due
        from next_row n
       where n.lane = 0 and (n.state = 'held' or (n.state is null and n.passed and not n.in_lease))
       order by n.id
          on conflict (sink_no, id) do update set state = 'waiting', due_at = excluded.due_at where e.state = 'held'
    )
    select array_agg(n.group_key order by n.group_key) into v_groups
      from next_row n
     where n.lane = 0 and (n.in_lease or n.state in ('leased', 'retrying', 'waiting'));
    v_round := v_round + 1;
    exit when v_groups is null or v_round = 2;
    foreach v_group in array v_groups loop
      perform pg_advisory_xact_lock(hashint8extended(v_group, p_sink_no));
    end loop;
  end loop;
end
$$;

-- Leases up to p_limit messages that are due again; the caller holds X exclusively. Those behind an earlier row of their
-- group are held until that one goes.
create function millrace_private.claim_due(
  p_sink_no integer, p_limit integer, p_token text, p_now timestamptz, p_until timestamptz) returns bigint[]
language plpgsql as $$
declare
  r record;
  v_taken bigint[] := '{}';
  v_held bigint[] := '{}';
  v_gone bigint[] := '{}';
begin
  if p_limit <= 0 then
    return v_taken;
  end if;
  for r in
    select x.id, m.id is null as gone,
           exists (select from millrace_private.messages e
                    where e.sink_no = p_sink_no and e.group_key = m.group_key and e.id < m.id
                      and not exists (select from millrace_private.exceptions p
                                       where p.sink_no = p_sink_no and p.id = e.id and p.state = 'parked' offset 0))
           or exists (select from millrace_private.messages e
                       where e.sink_no = p_sink_no and e.group_key2 = m.group_key and e.id < m.id
                         and not exists (select from millrace_private.exceptions p
                                          where p.sink_no = p_sink_no and p.id = e.id and p.state = 'parked' offset 0))
           or (m.group_key2 is not null and (
                 exists (select from millrace_private.messages e
                          where e.sink_no = p_sink_no and e.group_key = m.group_key2 and e.id < m.id
                            and not exists (select from millrace_private.exceptions p
                                             where p.sink_no = p_sink_no and p.id = e.id and p.state = 'parked' offset 0))
                 or exists (select from millrace_private.messages e
                             where e.sink_no = p_sink_no and e.group_key2 = m.group_key2 and e.id < m.id
                               and not exists (select from millrace_private.exceptions p
                                                where p.sink_no = p_sink_no and p.id = e.id and p.state = 'parked' offset 0))
              )) as behind
      from millrace_private.exceptions x
      left join millrace_private.messages m on m.sink_no = p_sink_no and m.lane = 0 and m.id = x.id
     where x.sink_no = p_sink_no and x.lane = 0 and x.due_at <= p_now
     order by x.due_at, x.id
     limit 1000
  loop
    if r.gone then
      v_gone := v_gone || r.id;
    elsif r.behind then
      v_held := v_held || r.id;
    else
      v_taken := v_taken || r.id;
      exit when cardinality(v_taken) = p_limit;
    end if;
  end loop;
  if cardinality(v_gone) > 0 then
    delete from millrace_private.exceptions x using unnest(v_gone) g (id) where x.sink_no = p_sink_no and x.id = g.id;
  end if;
  if cardinality(v_held) > 0 then
    update millrace_private.exceptions x set state = 'held', due_at = null
      from unnest(v_held) h (id) where x.sink_no = p_sink_no and x.id = h.id;
  end if;
  if cardinality(v_taken) > 0 then
    update millrace_private.exceptions x
       set state = 'leased', token = p_token, attempts = x.attempts + 1, due_at = p_until, stage = null, error = null
      from unnest(v_taken) t (id) where x.sink_no = p_sink_no and x.id = t.id;
  end if;
  return v_taken;
end
$$;

-- Appends the cursor of a lane. (Both bounds: deleted rows are still in the way while somebody keeps a snapshot open.)
create function millrace_private.move_cursor(p_sink_no integer, p_lane integer, p_seq bigint, p_id bigint) returns void
language plpgsql as $$
begin
  insert into millrace_private.cursor_log (sink_no, lane, seq, id) values (p_sink_no, p_lane, p_seq, p_id);
  if p_seq % 64 = 0 then
    delete from millrace_private.cursor_log c
     where c.sink_no = p_sink_no and c.lane = p_lane and c.seq < p_seq and c.seq >= p_seq - 128;
  end if;
end
$$;

-- Writes down what a receive leased: v_new as a lease, and the cursor with what is known of the leases.
create function millrace_private.note_lease(
  p_sink_no integer, p_token text, p_lo bigint, p_hi bigint, p_until timestamptz, p_ids bigint[], p_dense boolean,
  p_seq bigint, p_in_flight integer, p_swept_at timestamptz) returns void
language plpgsql as $$
begin
  with lease as (
    insert into millrace_private.leases (sink_no, token, lo, hi, until, size, remaining, dense, ids, digest)
    select p_sink_no, p_token, p_lo, p_hi, p_until, cardinality(p_ids), cardinality(p_ids), p_dense,
           case when not p_dense then p_ids end, hash_array_extended(p_ids, 0)
     where cardinality(p_ids) > 0
  )
  insert into millrace_private.cursor_log (sink_no, lane, seq, id, in_flight, swept_at)
  values (p_sink_no, 0, p_seq, p_hi, p_in_flight, p_swept_at);
  if p_seq % 64 = 0 then
    delete from millrace_private.cursor_log c
     where c.sink_no = p_sink_no and c.lane = 0 and c.seq < p_seq and c.seq >= p_seq - 128;
  end if;
end
$$;

-- Expired leases: what is left of them becomes due again, or is parked when it was delivered often enough. The caller
-- holds X exclusively, and knows that no lease is left that ended at p_since or before.
create function millrace_private.sweep(
  p_sink_no integer, p_max_deliver integer, p_now timestamptz, p_since timestamptz default '-infinity') returns void
language plpgsql as $$
declare
  v_groups bigint[];
begin
  with expired as (
    delete from millrace_private.leases l where l.sink_no = p_sink_no and l.until <= p_now and l.until > p_since
    returning l.token, l.lo, l.hi, l.dense, l.ids
  )
  insert into millrace_private.exceptions (sink_no, id, lane, group_key, state, attempts, due_at, token, stage, error)
  select p_sink_no, m.id, 0, m.group_key, 'retrying', 1, p_now, e.token, 'receive',
         'the visibility timeout passed without an acknowledgement'
    from expired e
    join millrace_private.messages m on m.sink_no = p_sink_no and m.lane = 0 and m.id > e.lo and m.id <= e.hi
   where e.dense or m.id = any (e.ids)
      on conflict (sink_no, id) do nothing;

  with parked as (
    update millrace_private.exceptions x
       set state = 'parked', due_at = null, parked_at = p_now, stage = 'receive',
           error = coalesce(x.error, 'the visibility timeout passed without an acknowledgement')
     where x.sink_no = p_sink_no and x.lane = 0 and x.due_at <= p_now and x.state in ('leased', 'retrying')
       and x.attempts >= p_max_deliver
    returning x.id
  )
  select array_agg(distinct g.group_key) filter (where g.group_key is not null) into v_groups
    from parked p
    join millrace_private.messages m on m.sink_no = p_sink_no and m.lane = 0 and m.id = p.id
   cross join lateral unnest(array[m.group_key, m.group_key2]) g (group_key);
  if v_groups is not null then
    perform millrace_private.free_groups(p_sink_no, v_groups, p_now);
  end if;
end
$$;

-- How many messages of a consumer are leased.
create function millrace_private.count_leased(p_sink_no integer, p_now timestamptz) returns bigint
language plpgsql stable as $$
begin
  return coalesce((select sum(l.remaining) from millrace_private.leases l where l.sink_no = p_sink_no), 0)
         + (select count(*) from millrace_private.exceptions x
             where x.sink_no = p_sink_no and x.state = 'leased' and x.due_at > p_now);
end
$$;

-- Leases up to p_batch messages of a consumer: their ids, in order, and the lease's token (null when there are none).
-- more: it stopped because it had passed 1,000 rows, and another call may find something behind them.
create function millrace_private.claim(
  p_sink_no integer, p_batch integer, p_visibility interval, out token text, out ids bigint[], out more boolean)
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set lock_timeout = '2s' as $$
declare
  r record;
  v_consumer millrace_private.consumers;
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
  v_bound bigint;
  v_new bigint[] := '{}';
  v_groups bigint[] := '{}';
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    perform millrace_private.require_read_committed();
  end if;
  ids := '{}';
  more := false;
  -- The shared lock is always had; it shows consumer_status who has the row.
  select c.* into v_consumer from millrace_private.consumers c
   where c.sink_no = p_sink_no and pg_try_advisory_xact_lock_shared(7377, c.sink_no) for no key update;
  if not found or not v_consumer.active then
    return;
  end if;
  v_now := clock_timestamp();
  v_until := v_now + coalesce(p_visibility, v_consumer.visibility_timeout);

  -- Leases that ended before the last receive looked were swept. Now and then all are looked at, and so they are when
  -- there is nothing else: the server's clock may have been set back.
  select c.id, c.seq, c.in_flight, c.swept_at,
         exists (select from millrace_private.leases l
                  where l.sink_no = p_sink_no and l.until <= v_now and l.until > c.swept_at)
         or exists (select from millrace_private.exceptions x
                     where x.sink_no = p_sink_no and x.lane = 0 and x.due_at <= v_now)
    into v_cursor, v_seq, v_in_flight, v_swept_at, v_due
    from ((select l.id, l.seq, l.in_flight,
                  case when l.seq % 64 = 0 then '-infinity' else l.swept_at end as swept_at
             from millrace_private.cursor_log l
            where l.sink_no = p_sink_no and l.lane = 0 order by l.seq desc limit 1)
          union all
          select 0, 0, 0, '-infinity') c
   limit 1;

  if not v_due and v_consumer.max_per_group = 1 then
    if v_in_flight + p_batch > v_consumer.max_ack_pending then
      v_in_flight := millrace_private.count_leased(p_sink_no, v_now);
    end if;
    v_batch := least(p_batch, v_consumer.max_ack_pending - v_in_flight);
    if v_batch <= 0 then
      return;
    end if;
    -- A row that capture parked on arrival is an exception already.
    select array_agg(b.id), bool_and(b.may), max(b.id),
           exists (select from millrace_private.exceptions x
                    where x.sink_no = p_sink_no and x.id > v_cursor and x.id <= max(b.id))
      into v_new, v_may, v_hi, v_parked
      from (select m.id,
                   m.group_key2 is null
                   and not exists (select from millrace_private.messages e
                                    where e.sink_no = p_sink_no and e.group_key = m.group_key and e.id < m.id)
                   and not exists (select from millrace_private.messages e
                                    where e.sink_no = p_sink_no and e.group_key2 = m.group_key and e.id < m.id) as may
              from millrace_private.messages m
             where m.sink_no = p_sink_no and m.lane = 0 and m.id > v_cursor
             order by m.id limit v_batch) b;
    if v_may and not v_parked then
      token := replace(gen_random_uuid()::text, '-', '');
      ids := v_new;
      perform millrace_private.note_lease(p_sink_no, token, v_cursor, v_hi, v_until, v_new, true,
                                          v_seq + 1, (v_in_flight + cardinality(v_new))::integer, v_now);
      return;
    end if;
    if v_new is null then
      if not exists (select from millrace_private.leases l where l.sink_no = p_sink_no and l.until <= v_now) then
        return;
      end if;
      v_swept_at := '-infinity';
    end if;
  end if;

  -- Something is due, or not every row may go: from here on rows may be passed, so nobody may delete meanwhile.
  perform pg_advisory_xact_lock(7376, p_sink_no);
  v_now := clock_timestamp();
  v_until := v_now + coalesce(p_visibility, v_consumer.visibility_timeout);
  v_new := '{}';
  perform millrace_private.sweep(p_sink_no, v_consumer.max_deliver, v_now, v_swept_at);

  if v_in_flight + p_batch > v_consumer.max_ack_pending then
    v_in_flight := millrace_private.count_leased(p_sink_no, v_now);
  end if;
  v_batch := least(p_batch, v_consumer.max_ack_pending - v_in_flight);
  if v_batch <= 0 then
    return;
  end if;
  token := replace(gen_random_uuid()::text, '-', '');
  v_more := exists (select from millrace_private.messages m
                     where m.sink_no = p_sink_no and m.lane = 0 and m.id > v_cursor);

  -- Redeliveries take at most half of the batch while there are new messages (of an odd one now this half, now that).
  ids := millrace_private.claim_due(p_sink_no,
           case when v_more then (v_batch + (random() < 0.5)::integer) / 2 else v_batch end, token, v_now, v_until);

  v_hi := v_cursor;
  if v_more and cardinality(ids) < v_batch then
    v_bound := case when v_consumer.max_per_group = 1 then 9223372036854775807 else v_cursor + 1 end;
    for r in
      select m.id, m.group_key,
             exists (select from millrace_private.exceptions x
                      where x.sink_no = p_sink_no and x.id = m.id offset 0) as exception,
             exists (select from millrace_private.messages e
                      where e.sink_no = p_sink_no and e.group_key = m.group_key and e.id < least(m.id, v_bound)
                        and not exists (select from millrace_private.exceptions p
                                         where p.sink_no = p_sink_no and p.id = e.id and p.state = 'parked' offset 0))
             or exists (select from millrace_private.messages e
                         where e.sink_no = p_sink_no and e.group_key2 = m.group_key and e.id < m.id
                           and not exists (select from millrace_private.exceptions p
                                            where p.sink_no = p_sink_no and p.id = e.id and p.state = 'parked' offset 0))
             or (m.group_key2 is not null and (
                   exists (select from millrace_private.messages e
                            where e.sink_no = p_sink_no and e.group_key = m.group_key and e.id < m.id
                              and not exists (select from millrace_private.exceptions p
                                               where p.sink_no = p_sink_no and p.id = e.id and p.state = 'parked' offset 0))
                   or exists (select from millrace_private.messages e
                               where e.sink_no = p_sink_no and e.group_key = m.group_key2 and e.id < m.id
                                 and not exists (select from millrace_private.exceptions p
                                                  where p.sink_no = p_sink_no and p.id = e.id and p.state = 'parked' offset 0))
                   or exists (select from millrace_private.messages e
                               where e.sink_no = p_sink_no and e.group_key2 = m.group_key2 and e.id < m.id
                                 and not exists (select from millrace_private.exceptions p
                                                  where p.sink_no = p_sink_no and p.id = e.id and p.state = 'parked' offset 0))
                )) as behind,
             case when v_consumer.max_per_group = 1 or m.group_key is null then 0
                  else (select count(*) from (select from millrace_private.messages e
                                               where e.sink_no = p_sink_no and e.group_key = m.group_key
                                                 and e.id < m.id and e.id > v_cursor
                                                 and not exists (select from millrace_private.exceptions p
                                                                  where p.sink_no = p_sink_no and p.id = e.id
                                                                    and p.state = 'parked' offset 0)
                                               limit v_consumer.max_per_group) before) end as before
        from millrace_private.messages m
       where m.sink_no = p_sink_no and m.lane = 0 and m.id > v_cursor
       order by m.id
    loop
      if r.exception then
        v_passed := v_passed + 1;
      elsif r.behind or r.before >= v_consumer.max_per_group
            or r.before > coalesce(cardinality(array_positions(v_groups, r.group_key)), 0) then
        -- The last condition: of those before it in its group, one does not go now (max_per_group above 1).
        more := v_passed >= 1000;
        exit when more;
        v_passed := v_passed + 1;
      else
        v_new := v_new || r.id;
        if v_consumer.max_per_group > 1 then
          v_groups := v_groups || r.group_key;
        end if;
      end if;
      v_hi := r.id;
      exit when cardinality(v_new) + cardinality(ids) = v_batch;
    end loop;
    if cardinality(ids) + cardinality(v_new) < v_batch then
      ids := ids || millrace_private.claim_due(
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

-- Takes ids out of leases. p_what: ack | nack | extend | release. Returns to how many it applied.
create function millrace_private.answer(
  p_sink_no integer, p_what text, p_ack_ids text[], p_delay interval) returns integer
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set lock_timeout = '10s' as $$
declare
  t record;
  v_lease millrace_private.leases;
  v_held boolean;
  v_now timestamptz;
  v_count integer := 0;
  v_taken integer;
  v_groups bigint[] := '{}';
  v_more bigint[];
  v_max_deliver integer;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    perform millrace_private.require_read_committed();
  end if;
  perform pg_advisory_xact_lock_shared(7376, p_sink_no);
  v_now := clock_timestamp();
  if p_what = 'nack' then
    select c.max_deliver into v_max_deliver from millrace_private.consumers c where c.sink_no = p_sink_no;
  end if;
  for t in select a.token, a.ids from millrace_private.parse_ack_ids(p_ack_ids) a
  loop
    select l.* into v_lease from millrace_private.leases l
     where l.sink_no = p_sink_no and l.token = t.token for update;
    v_held := found;

    if p_what = 'ack' and v_held and v_lease.dense and v_lease.remaining = v_lease.size
       and cardinality(t.ids) = v_lease.size and hash_array_extended(t.ids, 0) = v_lease.digest
       and not exists (select from millrace_private.exceptions x
                        where x.sink_no = p_sink_no and x.id > v_lease.lo and x.id <= v_lease.hi) then
      -- The whole batch, untouched: by range. (A row that was shaped late may have come into the range; it is an exception.)
      with gone as (
        delete from millrace_private.messages m
         where m.sink_no = p_sink_no and m.lane = 0 and m.id > v_lease.lo and m.id <= v_lease.hi
        returning m.group_key, m.group_key2
      ), over as (
        delete from millrace_private.leases l where l.sink_no = p_sink_no and l.token = t.token
      )
      select count(*), array_agg(g.group_key) filter (where g.group_key is not null)
             || coalesce(array_agg(g.group_key2) filter (where g.group_key2 is not null), '{}')
        into v_taken, v_more from gone g;
      v_count := v_count + v_taken;
      v_groups := v_groups || v_more;
      continue;
    end if;

    if v_held then
      -- Those still on the straight path: in the lease and not an exception.
      if p_what = 'ack' then
        with gone as (
          delete from millrace_private.messages m using unnest(t.ids) i (id)
           where m.sink_no = p_sink_no and m.lane = 0 and m.id = i.id
             and i.id > v_lease.lo and i.id <= v_lease.hi and (v_lease.dense or i.id = any (v_lease.ids))
             and not exists (select from millrace_private.exceptions x where x.sink_no = p_sink_no and x.id = i.id)
          returning m.group_key, m.group_key2
        )
        select count(*), array_agg(g.group_key) filter (where g.group_key is not null)
               || coalesce(array_agg(g.group_key2) filter (where g.group_key2 is not null), '{}')
          into v_taken, v_more from gone g;
        v_groups := v_groups || v_more;
      else
        insert into millrace_private.exceptions (sink_no, id, lane, group_key, state, attempts, due_at, token, stage, error)
        select p_sink_no, m.id, 0, m.group_key,
               case p_what when 'nack' then 'retrying' when 'extend' then 'leased' else 'waiting' end,
               case p_what when 'release' then 0 else 1 end,
               v_now + p_delay, t.token,
               case p_what when 'nack' then 'receive' end,
               case p_what when 'nack' then 'given back by the client' end
          from unnest(t.ids) i (id)
          join millrace_private.messages m on m.sink_no = p_sink_no and m.lane = 0 and m.id = i.id
         where i.id > v_lease.lo and i.id <= v_lease.hi and (v_lease.dense or i.id = any (v_lease.ids))
            on conflict (sink_no, id) do nothing;
        get diagnostics v_taken = row_count;
      end if;
      if v_taken > 0 then
        v_count := v_count + v_taken;
        if v_taken >= v_lease.remaining then
          delete from millrace_private.leases l where l.sink_no = p_sink_no and l.token = t.token;
        else
          update millrace_private.leases l set remaining = l.remaining - v_taken
           where l.sink_no = p_sink_no and l.token = t.token;
        end if;
      end if;
    end if;

    -- Exceptions that this token was the last to hold. Those that the statement above made are among them: left out by
    -- their state (ack deletes none of them, they have no row any more).
    if p_what = 'ack' then
      with settled as (
        delete from millrace_private.exceptions x using unnest(t.ids) i (id)
         where x.sink_no = p_sink_no and x.id = i.id and x.lane = 0 and x.token = t.token
        returning x.id
      ), gone as (
        delete from millrace_private.messages m using settled s
         where m.sink_no = p_sink_no and m.lane = 0 and m.id = s.id
        returning m.group_key, m.group_key2
      )
      select count(*), array_agg(g.group_key) filter (where g.group_key is not null)
             || coalesce(array_agg(g.group_key2) filter (where g.group_key2 is not null), '{}')
        into v_taken, v_more from gone g;
      v_groups := v_groups || v_more;
    elsif not v_held or v_taken < cardinality(t.ids) then
      update millrace_private.exceptions x
         set state = case p_what when 'nack' then 'retrying' when 'extend' then 'leased' else 'waiting' end,
             attempts = x.attempts - (p_what = 'release')::integer,
             due_at = v_now + p_delay,
             stage = case p_what when 'nack' then 'receive' end,
             error = case p_what when 'nack' then 'given back by the client' end
        from unnest(t.ids) i (id)
       where x.sink_no = p_sink_no and x.id = i.id and x.lane = 0 and x.token = t.token
         and x.state = 'leased' and x.due_at is distinct from v_now + p_delay;
      get diagnostics v_taken = row_count;
    else
      v_taken := 0;
    end if;
    v_count := v_count + v_taken;

    if v_max_deliver is not null then
      with parked as (
        update millrace_private.exceptions x
           set state = 'parked', due_at = null, parked_at = v_now
          from unnest(t.ids) i (id)
         where x.sink_no = p_sink_no and x.id = i.id and x.lane = 0 and x.token = t.token
           and x.state = 'retrying' and x.attempts >= v_max_deliver
        returning x.id
      )
      select array_agg(g.group_key) filter (where g.group_key is not null) into v_more
        from parked p
        join millrace_private.messages m on m.sink_no = p_sink_no and m.lane = 0 and m.id = p.id
       cross join lateral unnest(array[m.group_key, m.group_key2]) g (group_key);
      v_groups := v_groups || v_more;
    end if;
  end loop;
  if cardinality(v_groups) > 0 then
    perform millrace_private.free_groups(p_sink_no, v_groups);
  end if;
  return v_count;
end
$$;

-- When the next lease ends or the next retry is due: how long a waiting receive may sleep.
create function millrace_private.next_due(p_sink_no integer, p_lane integer) returns timestamptz language sql stable as $$
  select least((select min(l.until) from millrace_private.leases l where l.sink_no = p_sink_no and p_lane = 0),
               (select min(x.due_at) from millrace_private.exceptions x
                 where x.sink_no = p_sink_no and x.lane = p_lane))
$$;

create function millrace_private.metadata_text(m millrace_private.messages, p_table text, p_sink text) returns text
language sql stable as $$
  select '{' || p_table || ',"commit_timestamp":"' || to_char(m.committed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    || '","commit_lsn":' || m.commit_lsn || ',"commit_idx":' || m.commit_idx
    || ',"idempotency_key":"' || m.id || '","record_pks":' || m.record_pks
    || ',"transaction_annotations":' || coalesce(m.annotations, 'null')
    || coalesce(',"unchanged_toast":' || m.unchanged_toast, '') || ',' || p_sink || '}'
$$;

-- The members of a message that was not shaped. What is the same for a sink or a table is spliced in here.
create function millrace_private.message_members(m millrace_private.messages, p_table text, p_sink text) returns text
language sql stable as $$
  select '"record":' || m.record || ',"changes":' || coalesce(m.changes, 'null') || ',"action":"' || m.action
    || '","metadata":' || millrace_private.metadata_text(m, p_table, p_sink)
$$;

-- The finished message as text.
create function millrace_private.message_text(m millrace_private.messages, p_table text, p_sink text) returns text
language sql stable as $$
  select coalesce(m.payload, '{' || millrace_private.message_members(m, p_table, p_sink) || '}')
$$;

-- The messages of a lease as one text: JSON objects with their ack_id, a comma between them, in order. p_nested: the
-- message is a member "data" (so it always is when it was shaped). It stops before the message that would exceed
-- p_bytes, but not before the first; messages after last_id are not in the text. Rows of a lease cannot change.
create function millrace_private.read_messages(
  p_sink_no integer, p_token text, p_ids bigint[], p_nested boolean, p_bytes bigint,
  out messages text, out count integer, out last_id bigint)
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
declare
  v_ids bigint[] := p_ids;
  v_found bigint[];
  v_bytes bigint;
  v_first integer;
  v_last integer;
  v_sink text := (select s.metadata from millrace_private.sinks s where s.no = p_sink_no);
  v_table text;
begin
  -- The sizes first: a batch of large rows must fill nobody's memory. Nearly always a batch is every row between its first
  -- and its last, and most often of one table: then its rows are read by range, and nothing is looked up for each.
  select array_agg(m.id), sum(m.bytes), min(m.source_table), max(m.source_table)
    into v_found, v_bytes, v_first, v_last
    from (select o.id, o.source_table,
                 octet_length(o.record) + coalesce(octet_length(o.changes), 0) + coalesce(octet_length(o.payload), 0)
                   as bytes
            from millrace_private.messages o
           where o.sink_no = p_sink_no and o.lane = 0
             and o.id >= p_ids[1] and o.id <= p_ids[cardinality(p_ids)]
           order by o.id limit cardinality(p_ids) + 1) m;
  if v_found = p_ids and v_bytes <= p_bytes then
    if v_first = v_last then
      select t.metadata into v_table from millrace_private.source_tables t where t.no = v_first;
    end if;
    select string_agg('{"ack_id":"' || p_token || '-' || m.id || '",' || m.body || '}', ','), count(*), max(m.id)
      into messages, count, last_id
      from (select o.id,
                   case when p_nested or o.payload is not null
                        then '"data":' || millrace_private.message_text(o, coalesce(v_table,
                               (select t.metadata from millrace_private.source_tables t where t.no = o.source_table)), v_sink)
                        else millrace_private.message_members(o, coalesce(v_table,
                               (select t.metadata from millrace_private.source_tables t where t.no = o.source_table)), v_sink)
                   end as body
              from millrace_private.messages o
             where o.sink_no = p_sink_no and o.lane = 0
               and o.id >= p_ids[1] and o.id <= p_ids[cardinality(p_ids)]
             order by o.id) m;
    return;
  end if;
  if cardinality(p_ids) > 1 and (v_found = p_ids or (
      select sum(m.bytes)
        from unnest(p_ids) i (id)
       cross join lateral (select octet_length(o.record) + coalesce(octet_length(o.changes), 0)
                                  + coalesce(octet_length(o.payload), 0) as bytes
                             from millrace_private.messages o
                            where o.sink_no = p_sink_no and o.lane = 0 and o.id = i.id limit 1) m) > p_bytes) then
    select array_agg(r.id) into v_ids
      from (select i.id, i.place, sum(m.bytes) over (order by i.place) as bytes
              from unnest(p_ids) with ordinality i (id, place)
             cross join lateral (select octet_length(o.record) + coalesce(octet_length(o.changes), 0)
                                        + coalesce(octet_length(o.payload), 0) as bytes
                                   from millrace_private.messages o
                                  where o.sink_no = p_sink_no and o.lane = 0 and o.id = i.id limit 1) m) r
     where r.bytes <= p_bytes or r.place = 1;
  end if;
  select string_agg('{"ack_id":"' || p_token || '-' || i.id || '",' || m.body || '}', ',' order by i.id),
         count(*), max(i.id)
    into messages, count, last_id
    from unnest(v_ids) i (id)
   cross join lateral (select case when p_nested or o.payload is not null
                                   then '"data":' || millrace_private.message_text(o, t.metadata, s.metadata)
                                   else millrace_private.message_members(o, t.metadata, s.metadata) end as body
                         from millrace_private.messages o
                         join millrace_private.source_tables t on t.no = o.source_table
                         join millrace_private.sinks s on s.no = o.sink_no
                        where o.sink_no = p_sink_no and o.lane = 0 and o.id = i.id limit 1) m;
end
$$;

-- Receive in one round trip: the lease is committed, and the consumer free for the next one, before a message is read, so
-- that a client that stops reading holds nobody up. ids are all that were leased; see read_messages for the others.
-- Without a message: more (see claim), and in how many milliseconds something is due.
create procedure millrace_private.receive_batch(
  p_sink_no integer, p_batch integer, p_nested boolean, p_bytes bigint,
  inout token text, inout ids bigint[], inout messages text, inout count integer, inout last_id bigint,
  inout more boolean, inout due_in_ms double precision) language plpgsql as $$
begin
  select c.token, c.ids, c.more into token, ids, more from millrace_private.claim(p_sink_no, p_batch, null) c;
  commit;
  if token is null then
    due_in_ms := extract(epoch from millrace_private.next_due(p_sink_no, 0) - clock_timestamp()) * 1000;
  else
    select r.messages, r.count, r.last_id into messages, count, last_id
      from millrace_private.read_messages(p_sink_no, token, ids, p_nested, p_bytes) r;
  end if;
end
$$;

create function millrace.receive(
  consumer text, batch_size integer default 1, visibility_timeout interval default null)
returns table (ack_id text, message json) language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
declare
  v_no integer := millrace_private.consumer_no(consumer);
  v_claim record;
  v_sink text;
  v_lo bigint;
  v_hi bigint;
begin
  if batch_size is null or batch_size < 1 or batch_size > 1000 then
    raise exception 'batch_size must be from 1 to 1000' using errcode = '22023';
  end if;
  if visibility_timeout < interval '500 ms' or visibility_timeout > interval '12 h' then
    raise exception 'visibility_timeout must be from 500 milliseconds to 12 hours' using errcode = '22023';
  end if;
  select c.token, c.ids into v_claim from millrace_private.claim(v_no, batch_size, visibility_timeout) c;
  if v_claim.token is null then
    return;
  end if;
  select s.metadata into v_sink from millrace_private.sinks s where s.no = v_no;
  v_lo := v_claim.ids[1];
  v_hi := v_claim.ids[cardinality(v_claim.ids)];
  -- Nearly always every row between the first and the last: then they are read by range.
  if v_lo = v_hi or v_claim.ids = (select array_agg(m.id)
                      from (select o.id from millrace_private.messages o
                             where o.sink_no = v_no and o.lane = 0 and o.id >= v_lo and o.id <= v_hi
                             order by o.id limit cardinality(v_claim.ids) + 1) m) then
    return query
      select v_claim.token || '-' || o.id,
             millrace_private.message_text(o, (select t.metadata from millrace_private.source_tables t
                                                where t.no = o.source_table), v_sink)::json
        from millrace_private.messages o
       where o.sink_no = v_no and o.lane = 0 and o.id >= v_lo and o.id <= v_hi
       order by o.id;
    return;
  end if;
  return query
    select v_claim.token || '-' || i.id, m.message::json
      from unnest(v_claim.ids) i (id)
     cross join lateral (select millrace_private.message_text(o, t.metadata, v_sink) as message
                           from millrace_private.messages o
                           join millrace_private.source_tables t on t.no = o.source_table
                          where o.sink_no = v_no and o.lane = 0 and o.id = i.id limit 1) m
     order by i.id;
end
$$;
comment on function millrace.receive(text, integer, interval) is
  'Leases messages of a pull consumer, in order per row. Acknowledge them with millrace.ack, or they come again after visibility_timeout.';

create function millrace.ack(consumer text, ack_ids text[]) returns integer language sql as $$
  select millrace_private.answer(millrace_private.consumer_no(consumer), 'ack', ack_ids, interval '0')
$$;
comment on function millrace.ack(text, text[]) is
  'Done with these messages: they never come back. Returns to how many it applied; unknown ids are ignored.';

create function millrace.nack(consumer text, ack_ids text[], delay interval default interval '0') returns integer
language plpgsql as $$
begin
  if delay is null or delay < interval '0' or delay > interval '12 h' then
    raise exception 'delay must be from 0 to 12 hours' using errcode = '22023';
  end if;
  return millrace_private.answer(millrace_private.consumer_no(consumer), 'nack', ack_ids, delay);
end
$$;
comment on function millrace.nack(text, text[], interval) is
  'Gives messages back: visible again at once, or after delay. Returns to how many it applied.';

create function millrace.extend(consumer text, ack_ids text[], visibility_timeout interval) returns integer
language plpgsql as $$
begin
  if visibility_timeout is null or visibility_timeout < interval '500 ms' or visibility_timeout > interval '12 h' then
    raise exception 'visibility_timeout must be from 500 milliseconds to 12 hours' using errcode = '22023';
  end if;
  return millrace_private.answer(millrace_private.consumer_no(consumer), 'extend', ack_ids, visibility_timeout);
end
$$;
comment on function millrace.extend(text, text[], interval) is
  'A longer lease, counted from now. Returns to how many messages it applied.';
