-- What a person with psql sees stays quick with ten million messages pending: a sink's messages are counted one by one up
-- to 100,000, and beyond that taken from the server's own count of rows, which the view says. What is not asked for costs
-- nothing, and the messages of one sink are found without looking at those of the others.

-- How many messages of a sink are not settled, parked ones excluded. Rows are looked for only where there can be any, for
-- deleted ones are in the way as long as somebody keeps a snapshot open: above the place of each lane, and in what a receive
-- has passed, where every message has a lease, is an exception, or is behind one of its group that is. Other lanes leave
-- nothing but exceptions behind.
-- Postgres counts a table's rows itself, as they come and go; after a crash of the server it has forgotten, until the next
-- vacuum or analyze: then the table's size stands in.
-- With its owner's rights, as the views have them: who may look at those may execute it.
create function millrace_private.count_pending(p_sink_no integer, out pending bigint, out is_estimate boolean)
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
declare
  c_most constant integer := 100000;
  v_lane smallint;
  v_passed bigint;
  v_above bigint;
  v_below bigint;
  v_parked bigint;
begin
  pending := 0;
  is_estimate := false;
  for v_lane, v_passed in
    select l.lane, coalesce((select c.id from millrace_private.cursor_log c
                              where c.sink_no = p_sink_no and c.lane = l.lane order by c.seq desc limit 1), 0)
      from (select k.lane from millrace_private.lanes k where k.sink_no = p_sink_no union select 0::smallint) l
  loop
    select count(*) into v_above
      from (select from millrace_private.messages m
             where m.sink_no = p_sink_no and m.lane = v_lane and m.id > v_passed order by m.id limit c_most + 1) f;
    select count(*) into v_parked from millrace_private.exceptions e
     where e.sink_no = p_sink_no and e.lane = v_lane and e.id > v_passed and e.state = 'parked';
    if v_lane = 0 and exists (select from millrace_private.consumers c where c.sink_no = p_sink_no) then
      select count(*) into v_below
        from (select from millrace_private.messages m
               where m.sink_no = p_sink_no and m.lane = v_lane and m.id <= v_passed
                 and m.id >= least((select e.id from millrace_private.exceptions e
                                     where e.sink_no = p_sink_no and e.state <> 'parked' order by e.id limit 1),
                                   (select r.lo + 1 from millrace_private.leases r
                                     where r.sink_no = p_sink_no order by r.hi limit 1))
                 and not exists (select from millrace_private.exceptions e
                                  where e.sink_no = p_sink_no and e.id = m.id and e.state = 'parked' offset 0)
               order by m.id limit c_most + 1) f;
    else
      select count(*) into v_below from millrace_private.exceptions e
       where e.sink_no = p_sink_no and e.lane = v_lane and e.id <= v_passed and e.state <> 'parked';
    end if;
    pending := pending + greatest(v_above - v_parked, 0) + v_below;
    is_estimate := pending > c_most or v_above > c_most;
    exit when is_estimate;
  end loop;
  if is_estimate then
    select greatest(pending,
                    case when pg_catalog.pg_stat_get_live_tuples(r.oid) > c_most
                         then pg_catalog.pg_stat_get_live_tuples(r.oid)
                         else (case when r.reltuples > 0 and r.relpages > 0 then r.reltuples / r.relpages else 10 end
                               * pg_catalog.pg_relation_size(r.oid) / current_setting('block_size')::integer)::bigint end
                    - (select count(*) from millrace_private.exceptions e
                        where e.sink_no = p_sink_no and e.state = 'parked'))
      into pending
      from pg_catalog.pg_class r where r.oid = to_regclass('millrace_private.messages_' || p_sink_no);
  end if;
end
$$;

-- Commit time of a sink's first message of all, parked ones included: found in the same way.
create function millrace_private.oldest_committed_at(p_sink_no integer) returns timestamptz
language plpgsql stable security definer set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
begin
  return least(
    (select min(f.committed_at)
       from (select l.lane, coalesce((select c.id from millrace_private.cursor_log c
                                       where c.sink_no = p_sink_no and c.lane = l.lane order by c.seq desc limit 1), 0) as id
               from (select k.lane from millrace_private.lanes k where k.sink_no = p_sink_no
                     union select 0::smallint) l) p
      cross join lateral (select m.committed_at from millrace_private.messages m
                           where m.sink_no = p_sink_no and m.lane = p.lane and m.id > p.id order by m.id limit 1) f),
    (select f.committed_at
       from (select r.lo from millrace_private.leases r where r.sink_no = p_sink_no order by r.hi limit 1) r
      cross join lateral (select m.committed_at from millrace_private.messages m
                           where m.sink_no = p_sink_no and m.lane = 0 and m.id > r.lo order by m.id limit 1) f),
    (select f.committed_at
       from (select e.id, e.lane from millrace_private.exceptions e where e.sink_no = p_sink_no order by e.id limit 1) e
      cross join lateral (select m.committed_at from millrace_private.messages m
                           where m.sink_no = p_sink_no and m.lane = e.lane and m.id = e.id limit 1) f));
end
$$;

-- A left join, and a column that names the sink: only so are all ways to read the messages tied to their sink, and the
-- partitions of others left out. Leases are looked up only for what a receive has passed.
create or replace view millrace_private.message_states as
  select m.sink_no, m.lane, m.id, m.source_table, m.record_pks, m.action, m.committed_at,
         s.name as sink_name, t.schema_name as table_schema, t.table_name,
         case when x.state is not null then x.state
              when m.lane = 0 and m.id <= s.passed_id then
                case when (select true
                             from (select l.lo, l.until, l.dense, l.ids from millrace_private.leases l
                                    where l.sink_no = m.sink_no and l.hi >= m.id order by l.hi limit 1) r
                            where r.lo < m.id and (r.dense or m.id = any (r.ids))) then 'leased'
                     else 'held' end
              else 'waiting' end as state,
         case when x.state is not null then x.attempts
              when m.lane = 0 and m.id <= s.passed_id
                   and (select true
                          from (select l.lo, l.until, l.dense, l.ids from millrace_private.leases l
                                 where l.sink_no = m.sink_no and l.hi >= m.id order by l.hi limit 1) r
                         where r.lo < m.id and (r.dense or m.id = any (r.ids))) then 1
              else 0 end as attempts,
         coalesce(x.due_at,
                  case when x.state is null and m.lane = 0 and m.id <= s.passed_id then
                    (select r.until
                       from (select l.lo, l.until, l.dense, l.ids from millrace_private.leases l
                              where l.sink_no = m.sink_no and l.hi >= m.id order by l.hi limit 1) r
                      where r.lo < m.id and (r.dense or m.id = any (r.ids))) end) as visible_at,
         coalesce(x.error, b.error) as error,
         x.stage, x.parked_at,
         millrace_private.message_text(m.message, t.metadata, s.metadata)::json as message,
         x.state is not distinct from 'parked' as parked
    from (select s.no, s.name, s.metadata,
                 case when s.kind = 'pull' then
                   (select c.id from millrace_private.cursor_log c
                     where c.sink_no = s.no and c.lane = 0 order by c.seq desc limit 1) end as passed_id
            from millrace_private.sinks s offset 0) s
    left join lateral (select m.*, m as message, s.no as of_sink
                         from millrace_private.messages m where m.sink_no = s.no) m on true
    left join millrace_private.source_tables t on t.no = m.source_table
    left join millrace_private.exceptions x on x.sink_no = m.sink_no and x.id = m.id
    left join millrace_private.circuits b on b.sink_no = s.no
   where m.of_sink is not null;

create or replace view millrace.pending_messages as
  select m.sink_name, m.id, m.table_schema, m.table_name,
         millrace_private.pk_text(m.record_pks) as record_pk, m.action, m.state, m.attempts, m.visible_at, m.error,
         m.committed_at, m.message
    from millrace_private.message_states m
   where not m.parked;

create or replace view millrace.parked_messages as
  select m.sink_name, m.id, m.table_schema, m.table_name,
         millrace_private.pk_text(m.record_pks) as record_pk, m.action, m.state, m.attempts, m.visible_at, m.error,
         m.committed_at, m.message, m.stage, m.parked_at
    from millrace_private.message_states m
   where m.parked;

create or replace view millrace.sink_status as
  select s.name as sink_name, s.kind, d.name as database_name, s.status,
         case when s.status <> 'active' then s.status
              when b.sink_no is not null then b.reason
              when p.state not in ('streaming', 'starting', 'standby') then 'source_' || p.state
              else 'ok' end as health,
         c.pending,
         x.retrying, x.parked,
         millrace_private.oldest_committed_at(s.no) as oldest_committed_at,
         b.error, b.opened_at as failing_since, b.probe_at as next_probe_at,
         (select json_agg(json_build_object('code', n.code, 'table', n.table_name, 'message', n.message,
                                            'remedy', n.remedy, 'since', n.created_at) order by n.created_at)
            from millrace_private.notices n where n.sink_no = s.no) as notices,
         c.is_estimate as pending_is_estimate
    from millrace_private.sinks s
    join millrace_private.databases d on d.id = s.database_id
    left join millrace_private.positions p on p.database_no = d.no
    left join millrace_private.circuits b on b.sink_no = s.no
    left join lateral (select max(n.pending) as pending, bool_or(n.is_estimate) as is_estimate
                         from millrace_private.count_pending(s.no) n) c on true
    left join lateral (select count(*) filter (where e.state in ('retrying', 'held')) as retrying,
                              count(*) filter (where e.state = 'parked') as parked
                         from millrace_private.exceptions e where e.sink_no = s.no) x on true;

create or replace view millrace.consumer_status as
  select s.name as sink_name, s.status,
         n.pending,
         coalesce((select sum(l.remaining) from millrace_private.leases l where l.sink_no = s.no), 0) + x.leased as leased,
         x.retrying, x.held, x.parked, c.visibility_timeout, c.max_ack_pending, c.max_deliver, c.max_per_group,
         least((select min(l.until) from millrace_private.leases l where l.sink_no = s.no),
               (select min(e.due_at) from millrace_private.exceptions e where e.sink_no = s.no and e.lane = 0)) as next_due_at,
         (select array_agg(distinct k.pid) from pg_locks k
            join pg_stat_activity a on a.pid = k.pid
           where k.locktype = 'advisory' and k.classid in (7376, 7377) and k.objid = s.no::oid and k.objsubid = 2 and k.granted
             and a.xact_start < clock_timestamp() - interval '2 s') as blocked_by,
         n.is_estimate as pending_is_estimate
    from millrace_private.sinks s
    join millrace_private.consumers c on c.sink_no = s.no
    left join lateral (select max(k.pending) as pending, bool_or(k.is_estimate) as is_estimate
                         from millrace_private.count_pending(s.no) k) n on true
    left join lateral (select count(*) filter (where e.state = 'leased') as leased,
                              count(*) filter (where e.state = 'retrying') as retrying,
                              count(*) filter (where e.state = 'held') as held,
                              count(*) filter (where e.state = 'parked') as parked
                         from millrace_private.exceptions e where e.sink_no = s.no) x on true;

comment on column millrace.sink_status.pending_is_estimate is
  'More than 100,000 messages: pending is Postgres'' own count of the rows, some per cent off at times.';
comment on column millrace.consumer_status.pending_is_estimate is 'As in millrace.sink_status.';

-- They only read: then a count over millions of messages can use two processes.
alter function millrace_private.metadata_text(millrace_private.messages, text, text) parallel safe;
alter function millrace_private.message_members(millrace_private.messages, text, text) parallel safe;
alter function millrace_private.message_text(millrace_private.messages, text, text) parallel safe;
alter function millrace_private.pk_text(text) parallel safe;

-- Receive and acknowledge as they were (see 0003_receive.sql for the order of their locks), but for how rows are found.
-- Statistics of a table that is nearly always empty make all its indexes look alike, and the wrong one leads past every row
-- that was deleted while somebody keeps a snapshot open: 5,000 of them for one lease, where three pages do. An order that
-- only one index gives leaves no choice, and a row that is locked is found again by its place.
create or replace function millrace_private.claim(
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
         coalesce((select true from millrace_private.leases l
                    where l.sink_no = p_sink_no and l.until <= v_now and l.until > c.swept_at
                    order by l.until limit 1), false)
         or coalesce((select true from millrace_private.exceptions x
                       where x.sink_no = p_sink_no and x.lane = 0 and x.due_at <= v_now
                       order by x.due_at limit 1), false)
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
           coalesce((select true from millrace_private.exceptions x
                      where x.sink_no = p_sink_no and x.id > v_cursor and x.id <= max(b.id)
                      order by x.id limit 1), false)
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
      if (select true from millrace_private.leases l
           where l.sink_no = p_sink_no and l.until <= v_now order by l.until limit 1) is null then
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

create or replace function millrace_private.answer(
  p_sink_no integer, p_what text, p_ack_ids text[], p_delay interval) returns integer
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set lock_timeout = '10s' as $$
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

create or replace function millrace_private.next_due(p_sink_no integer, p_lane integer) returns timestamptz language sql stable as $$
  select least((select l.until from millrace_private.leases l
                 where l.sink_no = p_sink_no and p_lane = 0 order by l.until limit 1),
               (select x.due_at from millrace_private.exceptions x
                 where x.sink_no = p_sink_no and x.lane = p_lane and x.due_at is not null order by x.due_at limit 1))
$$;
