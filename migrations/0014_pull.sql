-- Receive and acknowledge as they were (see 0003_receive.sql for what is kept, and why), in half as many statements. The
-- order of the locks is: the consumer's (advisory 7377, one receive after the other; it was the consumer's row before), X
-- (advisory 7376), the lease row, exceptions, group locks. Each is had before the statement that relies on it begins, for
-- that statement's snapshot must be younger. How rows are found is set by whoever calls: by the functions for psql, and by
-- the connections of the roles for themselves.

-- How many messages of a consumer are leased: what ended before p_now is not any more, and dead rows of it stay in the way
-- for as long as somebody keeps a snapshot open.
create or replace function millrace_private.count_leased(p_sink_no integer, p_now timestamptz) returns bigint
language plpgsql stable as $$
begin
  return coalesce((select sum(l.remaining)
                     from (select f.remaining from millrace_private.leases f
                            where f.sink_no = p_sink_no and f.until > p_now order by f.until offset 0) l), 0)
         + (select count(*) from millrace_private.exceptions x
             where x.sink_no = p_sink_no and x.state = 'leased' and x.due_at > p_now);
end
$$;

-- When the next lease ends or the next retry is due. Leases that ended before a receive looked were swept by it.
create or replace function millrace_private.next_due(p_sink_no integer, p_lane integer) returns timestamptz
language sql stable as $$
  select least((select l.until from millrace_private.leases l
                 where l.sink_no = p_sink_no and p_lane = 0
                   and l.until > coalesce((select c.swept_at from millrace_private.cursor_log c
                                            where c.sink_no = p_sink_no and c.lane = 0 order by c.seq desc limit 1), '-infinity')
                 order by l.until limit 1),
               (select x.due_at from millrace_private.exceptions x
                 where x.sink_no = p_sink_no and x.lane = p_lane and x.due_at is not null order by x.due_at limit 1))
$$;

-- Leases up to p_batch messages of a consumer: their ids, in order, and the lease's token (null when there are none).
-- more: it stopped because it had passed 1,000 rows, and another call may find something behind them. bytes, table_no: the
-- batch is every row between its first and its last, with so many bytes of data, and of this one table (null: of several);
-- bytes is null when that is not known.
create function millrace_private.lease_next(
  p_sink_no integer, p_batch integer, p_visibility interval, out token text, out ids bigint[], out more boolean,
  out bytes bigint, out table_no integer)
language plpgsql set lock_timeout = '2s' as $$
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
  if pg_advisory_xact_lock(7377, p_sink_no) is null then
    return;
  end if;
  v_now := clock_timestamp();

  -- Leases that ended before the last receive looked were swept, unless the server's clock was set back since. A row that
  -- capture parked on arrival is an exception already.
  select c.active, c.visibility_timeout, c.max_ack_pending, c.max_deliver, c.max_per_group,
         coalesce(k.id, 0), coalesce(k.seq, 0), coalesce(k.in_flight, 0), coalesce(k.swept_at, '-infinity'),
         coalesce((select true from millrace_private.leases l
                    where l.sink_no = p_sink_no and l.until <= v_now and l.until > coalesce(k.swept_at, '-infinity')
                    order by l.until limit 1), false)
         or coalesce((select true from millrace_private.exceptions x
                       where x.sink_no = p_sink_no and x.lane = 0 and x.due_at <= v_now
                       order by x.due_at limit 1), false),
         b.ids, b.may, b.hi, b.bytes, b.table_no,
         coalesce((select true from millrace_private.exceptions x
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
  perform pg_advisory_xact_lock(7376, p_sink_no);
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
  ids := millrace_private.claim_due(p_sink_no,
           case when v_more then (v_batch + (random() < 0.5)::integer) / 2 else v_batch end, token, v_now, v_until);

  v_hi := v_cursor;
  if v_more and cardinality(ids) < v_batch then
    v_bound := case when v_max_per_group = 1 then 9223372036854775807 else v_cursor + 1 end;
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
             case when v_max_per_group = 1 or m.group_key is null then 0
                  else (select count(*) from (select from millrace_private.messages e
                                               where e.sink_no = p_sink_no and e.group_key = m.group_key
                                                 and e.id < m.id and e.id > v_cursor
                                                 and not exists (select from millrace_private.exceptions p
                                                                  where p.sink_no = p_sink_no and p.id = e.id
                                                                    and p.state = 'parked' offset 0)
                                               limit v_max_per_group) before) end as before
        from millrace_private.messages m
       where m.sink_no = p_sink_no and m.lane = 0 and m.id > v_cursor
       order by m.id
    loop
      if r.exception then
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


create or replace function millrace_private.claim(
  p_sink_no integer, p_batch integer, p_visibility interval, out token text, out ids bigint[], out more boolean)
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
begin
  select n.token, n.ids, n.more into token, ids, more from millrace_private.lease_next(p_sink_no, p_batch, p_visibility) n;
end
$$;

-- Receive in one round trip, for HTTP: the lease is committed, and the consumer free for the next one, before a message is
-- read, so that a client that stops reading holds nobody up. ids are all that were leased; see read_messages for those that
-- are not in the text. Without a message: more (see lease_next), and in how many milliseconds something is due.
create or replace procedure millrace_private.receive_batch(
  p_sink_no integer, p_batch integer, p_nested boolean, p_bytes bigint,
  inout token text, inout ids bigint[], inout messages text, inout count integer, inout last_id bigint,
  inout more boolean, inout due_in_ms double precision) language plpgsql as $$
declare
  v_bytes bigint;
  v_table_no integer;
begin
  select n.token, n.ids, n.more, n.bytes, n.table_no into token, ids, more, v_bytes, v_table_no
    from millrace_private.lease_next(p_sink_no, p_batch, null) n;
  commit;
  if token is null then
    due_in_ms := extract(epoch from millrace_private.next_due(p_sink_no, 0) - clock_timestamp()) * 1000;
  elsif v_bytes <= p_bytes and v_table_no is not null then
    select string_agg('{"ack_id":"' || token || '-' || m.id || '",' || m.body || '}', ','), count(*), max(m.id)
      into messages, count, last_id
      from (select o.id,
                   case when p_nested or o.payload is not null
                        then '"data":' || millrace_private.message_text(o,
                               (select t.metadata from millrace_private.source_tables t where t.no = v_table_no),
                               (select s.metadata from millrace_private.sinks s where s.no = p_sink_no))
                        else millrace_private.message_members(o,
                               (select t.metadata from millrace_private.source_tables t where t.no = v_table_no),
                               (select s.metadata from millrace_private.sinks s where s.no = p_sink_no))
                   end as body
              from millrace_private.messages o
             where o.sink_no = p_sink_no and o.lane = 0 and o.id >= ids[1] and o.id <= ids[cardinality(ids)]
             order by o.id) m;
  else
    select r.messages, r.count, r.last_id into messages, count, last_id
      from millrace_private.read_messages(p_sink_no, token, ids, p_nested, p_bytes) r;
  end if;
end
$$;

-- As it was; but one that is given as `token-1,2` is no ack_id.
create or replace function millrace_private.parse_ack_ids(p_ack_ids text[]) returns table (token text, ids bigint[])
language plpgsql immutable as $$
declare
  v_token text := left(p_ack_ids[1], 32);
  v_all text := array_to_string(p_ack_ids, ',');
  v_ids text := replace(v_all, v_token || '-', '');
begin
  if octet_length(v_all) - octet_length(v_ids) = 33 * cardinality(p_ack_ids)
     and v_ids ~ '^[0-9]{1,18}(,[0-9]{1,18})*$'
     and octet_length(v_ids) - octet_length(replace(v_ids, ',', '')) = cardinality(p_ack_ids) - 1 then
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

create function millrace_private.answer_ids(
  p_sink_no integer, p_what text, p_ack_ids text[], p_delay interval) returns integer
language plpgsql set lock_timeout = '10s' as $$
declare
  t record;
  v_lease record;
  v_held boolean;
  v_now timestamptz;
  v_count integer := 0;
  v_taken integer;
  v_groups bigint[] := '{}';
  v_more bigint[];
  v_max_deliver integer;
  v_token text;
  v_text text;
  v_rest text;
  v_ids bigint[];
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    perform millrace_private.require_read_committed();
  end if;
  if pg_advisory_xact_lock_shared(7376, p_sink_no) is null then
    return 0;
  end if;
  -- Messages and exceptions are found by `id = any (...)` and by ranges from subqueries, never by a join: with statistics of
  -- a queue that was empty, a join may well read all of it and throw away what does not match.
  if p_what = 'ack' then
    v_token := left(p_ack_ids[1], 32);
    v_text := array_to_string(p_ack_ids, ',');
    v_rest := replace(v_text, v_token || '-', '');
    if octet_length(v_text) - octet_length(v_rest) = 33 * cardinality(p_ack_ids)
       and v_rest ~ '^[0-9]{1,18}(,[0-9]{1,18})*$'
       and octet_length(v_rest) - octet_length(replace(v_rest, ',', '')) = cardinality(p_ack_ids) - 1 then
      v_ids := ('{' || v_rest || '}')::bigint[];
      -- The whole batch, untouched, as it nearly always is: by range. (A row that was shaped late may have come into the
      -- range; it is an exception.) Who took something out of it meanwhile has changed the lease row, which is looked at
      -- again when its lock is had. Then the groups of which a row is left: nobody can pass one while we hold X.
      with lease as materialized (
        select l.ctid as place, l.lo, l.hi from millrace_private.leases l
         where l.sink_no = p_sink_no and l.token >= v_token and l.token <= v_token
           and l.dense and l.remaining = l.size and l.size = cardinality(v_ids) and l.digest = hash_array_extended(v_ids, 0)
           and (select true from millrace_private.exceptions x
                 where x.sink_no = p_sink_no and x.id > l.lo and x.id <= l.hi order by x.id limit 1) is null
         order by l.token limit 1 for update
      ), gone as (
        delete from millrace_private.messages m
         where m.sink_no = p_sink_no and m.lane = 0
           and m.id > (select l.lo from lease l) and m.id <= (select l.hi from lease l)
        returning m.id, m.group_key, m.group_key2
      ), over as (
        delete from millrace_private.leases o where o.ctid = (select l.place from lease l)
      )
      select count(*), array_agg(g.group_key) filter (where g.group_key is not null and (
               exists (select from millrace_private.messages n
                        where n.sink_no = p_sink_no and n.group_key = g.group_key and n.id > g.id offset 0)
               or (cardinality(v_ids) <= 8
                   and exists (select from millrace_private.messages n
                                where n.sink_no = p_sink_no and n.group_key2 = g.group_key and n.id > g.id offset 0))))
             || array_agg(g.group_key2) filter (where g.group_key2 is not null),
             array_agg(g.group_key) filter (where g.group_key is not null and cardinality(v_ids) > 8)
        into v_count, v_groups, v_more from gone g;
      if v_count > 0 then
        -- As in lease_next: of a large batch it is asked for all rows at once whether any has a changed key.
        if v_more is not null
           and (select true from millrace_private.messages k
                 where k.sink_no = p_sink_no and k.group_key2 is not null order by k.group_key2 limit 1) then
          v_groups := v_more || v_groups;
        end if;
        if v_groups is not null then
          perform millrace_private.free_groups(p_sink_no, v_groups);
        end if;
        return v_count;
      end if;
      v_groups := '{}';
    end if;
  end if;
  v_now := clock_timestamp();
  if p_what = 'nack' then
    select c.max_deliver into v_max_deliver from millrace_private.consumers c where c.sink_no = p_sink_no;
  end if;
  for t in select a.token, a.ids from millrace_private.parse_ack_ids(p_ack_ids) a
  loop
    -- Locked, so its place stays until we move it.
    select l.ctid as place, l.lo, l.hi, l.size, l.remaining, l.dense, l.ids, l.digest into v_lease
      from millrace_private.leases l
     where l.sink_no = p_sink_no and l.token >= t.token and l.token <= t.token
     order by l.token limit 1 for update;
    v_held := found;

    if p_what = 'ack' and v_held and v_lease.dense and v_lease.remaining = v_lease.size
       and cardinality(t.ids) = v_lease.size and hash_array_extended(t.ids, 0) = v_lease.digest
       and (select true from millrace_private.exceptions x
             where x.sink_no = p_sink_no and x.id > v_lease.lo and x.id <= v_lease.hi
             order by x.id limit 1) is null then
      -- The whole batch, untouched: by range. (A row that was shaped late may have come into the range; it is an exception.)
      with gone as (
        delete from millrace_private.messages m
         where m.sink_no = p_sink_no and m.lane = 0 and m.id > v_lease.lo and m.id <= v_lease.hi
        returning m.group_key, m.group_key2
      ), over as (
        delete from millrace_private.leases l where l.ctid = v_lease.place
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
          delete from millrace_private.messages m
           where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (t.ids)
             and m.id > v_lease.lo and m.id <= v_lease.hi and (v_lease.dense or m.id = any (v_lease.ids))
             and (select true from millrace_private.exceptions x
                   where x.sink_no = p_sink_no and x.id = m.id order by x.id limit 1) is null
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
          from millrace_private.messages m
         where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (t.ids)
           and m.id > v_lease.lo and m.id <= v_lease.hi and (v_lease.dense or m.id = any (v_lease.ids))
            on conflict (sink_no, id) do nothing;
        get diagnostics v_taken = row_count;
      end if;
      if v_taken > 0 then
        v_count := v_count + v_taken;
        if v_taken >= v_lease.remaining then
          delete from millrace_private.leases l where l.ctid = v_lease.place;
        else
          update millrace_private.leases l set remaining = l.remaining - v_taken
           where l.ctid = v_lease.place;
        end if;
      end if;
    end if;

    -- Exceptions that this token was the last to hold. Those that the statement above made are among them: left out by
    -- their state (ack deletes none of them, they have no row any more).
    if p_what = 'ack' then
      with settled as (
        delete from millrace_private.exceptions x
         where x.sink_no = p_sink_no and x.id = any (t.ids) and x.lane = 0 and x.token = t.token
        returning x.id
      ), gone as (
        delete from millrace_private.messages m
         where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (array(select s.id from settled s))
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
       where x.sink_no = p_sink_no and x.id = any (t.ids) and x.lane = 0 and x.token = t.token
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
         where x.sink_no = p_sink_no and x.id = any (t.ids) and x.lane = 0 and x.token = t.token
           and x.state = 'retrying' and x.attempts >= v_max_deliver
        returning x.id
      )
      select array_agg(g.group_key) filter (where g.group_key is not null) into v_more
        from millrace_private.messages m
       cross join lateral unnest(array[m.group_key, m.group_key2]) g (group_key)
       where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (array(select p.id from parked p));
      v_groups := v_groups || v_more;
    end if;
  end loop;
  if cardinality(v_groups) > 0 then
    perform millrace_private.free_groups(p_sink_no, v_groups);
  end if;
  return v_count;
end
$$;

create or replace function millrace_private.answer(
  p_sink_no integer, p_what text, p_ack_ids text[], p_delay interval) returns integer
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
begin
  return millrace_private.answer_ids(p_sink_no, p_what, p_ack_ids, p_delay);
end
$$;

create or replace function millrace.receive(
  consumer text, batch_size integer default 1, visibility_timeout interval default null)
returns table (ack_id text, message json) language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
declare
  v_no integer;
  v_token text;
  v_ids bigint[];
  v_sink text;
  v_bytes bigint;
  v_table_no integer;
  v_lo bigint;
  v_hi bigint;
begin
  select s.no, s.metadata into v_no, v_sink from millrace_private.sinks s where s.kind = 'pull' and s.name = consumer;
  if not found then
    v_no := millrace_private.consumer_no(consumer);
    select s.metadata into v_sink from millrace_private.sinks s where s.no = v_no;
  end if;
  if batch_size is null or batch_size < 1 or batch_size > 1000 then
    raise exception 'batch_size must be from 1 to 1000' using errcode = '22023';
  end if;
  if visibility_timeout < interval '500 ms' or visibility_timeout > interval '12 h' then
    raise exception 'visibility_timeout must be from 500 milliseconds to 12 hours' using errcode = '22023';
  end if;
  select c.token, c.ids, c.bytes, c.table_no into v_token, v_ids, v_bytes, v_table_no
    from millrace_private.lease_next(v_no, batch_size, visibility_timeout) c;
  if v_token is null then
    return;
  end if;
  v_lo := v_ids[1];
  v_hi := v_ids[cardinality(v_ids)];
  -- Nearly always every row between the first and the last: then they are read by range.
  if v_table_no is not null then
    return query
      select v_token || '-' || o.id,
             millrace_private.message_text(o, (select t.metadata from millrace_private.source_tables t
                                                where t.no = v_table_no), v_sink)::json
        from millrace_private.messages o
       where o.sink_no = v_no and o.lane = 0 and o.id >= v_lo and o.id <= v_hi
       order by o.id;
    return;
  elsif v_bytes is not null or v_lo = v_hi then
    return query
      select v_token || '-' || o.id,
             millrace_private.message_text(o, (select t.metadata from millrace_private.source_tables t
                                                where t.no = o.source_table), v_sink)::json
        from millrace_private.messages o
       where o.sink_no = v_no and o.lane = 0 and o.id >= v_lo and o.id <= v_hi
       order by o.id;
    return;
  end if;
  return query
    select v_token || '-' || i.id, m.message::json
      from unnest(v_ids) i (id)
     cross join lateral (select millrace_private.message_text(o, t.metadata, v_sink) as message
                           from millrace_private.messages o
                           join millrace_private.source_tables t on t.no = o.source_table
                          where o.sink_no = v_no and o.lane = 0 and o.id = i.id limit 1) m
     order by i.id;
end
$$;

create or replace function millrace_private.consumer_no(p_consumer text) returns integer
language plpgsql stable as $$
declare
  v_no integer;
begin
  select s.no into v_no from millrace_private.sinks s where s.kind = 'pull' and s.name = p_consumer;
  if not found then
    select s.no into v_no from millrace_private.sinks s where s.kind = 'pull' and s.id::text = p_consumer;
  end if;
  if v_no is null then
    raise exception 'there is no pull consumer %', quote_nullable(p_consumer) using errcode = 'MR404',
      hint = 'select sink_name from millrace.consumer_status';
  end if;
  return v_no;
end
$$;

create or replace function millrace.ack(consumer text, ack_ids text[]) returns integer language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
begin
  return millrace_private.answer_ids(millrace_private.consumer_no(consumer), 'ack', ack_ids, interval '0');
end
$$;
