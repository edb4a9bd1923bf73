-- Push delivery: one owner a lane, and settling that only the owner can do.

-- Takes a lane for p_ttl. False when somebody else has it, or holds its row: an owner that stalled while it settles does,
-- until its transaction is ended, and whoever waited for it would keep a connection that other lanes need.
create function millrace_private.take_lane(p_sink_no integer, p_lane integer, p_owner text, p_ttl interval) returns boolean
language plpgsql set plan_cache_mode = force_generic_plan set lock_timeout = '1s' as $$
begin
  update millrace_private.lanes l set owner = p_owner, until = clock_timestamp() + p_ttl
   where l.sink_no = p_sink_no and l.lane = p_lane
     and (l.owner = p_owner or l.owner is null or l.until < clock_timestamp());
  return found;
exception when lock_not_available then
  return false;
end
$$;

-- After messages of these groups were delivered, deleted, parked or held, in a statement of its own: what was held behind
-- them, and is now behind nothing, becomes due: in an index one of each group (the next could fail), where a parked message
-- still holds back what does not carry the full document; elsewhere all up to the next one that is backing off.
-- Shaping holds back nothing, for receive keeps the order; but messages that a receive has passed are looked at.
create function millrace_private.free_held(p_sink_no integer, p_kind text, p_groups bigint[]) returns void
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
declare
  v_groups bigint[] := array(select distinct g from unnest(p_groups) g);
  v_now timestamptz := clock_timestamp();
begin
  if p_kind = 'pull' then
    perform millrace_private.free_groups(p_sink_no, v_groups);
    return;
  end if;
  update millrace_private.exceptions x set state = 'waiting', due_at = v_now
    from (select n.id
            from unnest(v_groups) g (group_key)
           cross join lateral (select e.id
                                 from millrace_private.exceptions e
                                where e.sink_no = p_sink_no and e.group_key = g.group_key and e.state = 'held'
                                  and e.id < coalesce((select b.id
                                                         from millrace_private.exceptions b
                                                        where b.sink_no = p_sink_no and b.group_key = g.group_key
                                                          and b.state <> 'held'
                                                          and (b.state <> 'parked' or p_kind = 'search_index')
                                                        order by b.id limit 1), 9223372036854775807)
                                order by e.id
                                limit case when p_kind = 'search_index' then 1 end) n) f
   where x.sink_no = p_sink_no and x.id = f.id and x.state = 'held';
end
$$;

-- Settles one batch of a lane, in one transaction: p_lo..p_hi is the range read above the cursor (p_hi = p_lo: none),
-- p_kept what of it, and of the exceptions tried again, stays and why, p_finished the exceptions that are done.
-- p_superseding: done messages that carry their row's full document, so that earlier ones of the row need not be sent.
-- Raises MR002 when the lane has another owner: nothing is written then.
--
-- Locks, always in this order: the lane's row, X (of a pull consumer), exceptions. Who discards takes the lanes' rows too:
-- otherwise it could miss what is being held behind the discarded message right now, and nobody would free that.
create function millrace_private.settle(
  p_sink_no integer, p_lane integer, p_owner text, p_lo bigint, p_hi bigint,
  p_finished bigint[], p_kept jsonb, p_superseding bigint[]) returns void
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set lock_timeout = '10s' as $$
declare
  v_kind text;
  v_kept bigint[];
  v_groups bigint[] := '{}';
  v_seq bigint;
begin
  select s.kind into v_kind
    from millrace_private.lanes l
    join millrace_private.sinks s on s.no = l.sink_no
   where l.sink_no = p_sink_no and l.lane = p_lane and l.owner = p_owner and l.until > clock_timestamp()
     for no key update of l;
  if not found then
    raise exception 'this lane has another owner now' using errcode = 'MR002';
  end if;
  -- A message that was put back to be shaped holds back those of its group that are shaped already, and a receive passes
  -- them. Whoever ends that acts like an acknowledgement.
  if v_kind = 'pull' and (p_kept is not null or cardinality(p_finished) > 0) then
    perform pg_advisory_xact_lock_shared(7376, p_sink_no);
  end if;

  if p_kept is not null then
    with kept as (
      select k.id, k.state, k.attempts, k.delay_ms, k.stage, k.error
        from jsonb_to_recordset(p_kept)
             as k (id bigint, state text, attempts integer, delay_ms double precision, stage text, error text)
    ), stays as (
      insert into millrace_private.exceptions as e
             (sink_no, id, lane, group_key, state, attempts, due_at, stage, error, parked_at)
      select p_sink_no, m.id, p_lane, m.group_key, k.state, k.attempts,
             case when k.state in ('retrying', 'waiting') then clock_timestamp() + k.delay_ms * interval '1 ms' end,
             k.stage, k.error, case when k.state = 'parked' then clock_timestamp() end
        from kept k
        join millrace_private.messages m on m.sink_no = p_sink_no and m.lane = p_lane and m.id = k.id
       where k.state <> 'as_it_was'
          on conflict (sink_no, id) do update
         set state = excluded.state, attempts = excluded.attempts, due_at = excluded.due_at, stage = excluded.stage,
             error = excluded.error, parked_at = excluded.parked_at
    )
    select array_agg(k.id),
           coalesce(array_agg(m.group_key) filter (where m.group_key is not null), '{}')
           || coalesce(array_agg(m.group_key2) filter (where m.group_key2 is not null), '{}')
      into v_kept, v_groups
      from kept k
      left join millrace_private.messages m
             on m.sink_no = p_sink_no and m.lane = p_lane and m.id = k.id and k.state in ('parked', 'held');
  end if;

  if cardinality(p_superseding) > 0 then
    with older as (
      delete from millrace_private.exceptions x
       using unnest(p_superseding) u (id)
        join millrace_private.messages n on n.sink_no = p_sink_no and n.lane = p_lane and n.id = u.id
       where x.sink_no = p_sink_no and x.group_key = n.group_key and x.id < n.id
         and exists (select from millrace_private.messages o
                      where o.sink_no = p_sink_no and o.lane = p_lane and o.id = x.id and o.record_pks = n.record_pks)
      returning x.id
    )
    delete from millrace_private.messages m using older o
     where m.sink_no = p_sink_no and m.lane = p_lane and m.id = o.id;
  end if;

  if cardinality(p_finished) > 0 then
    with done as (
      delete from millrace_private.exceptions x using unnest(p_finished) f (id)
       where x.sink_no = p_sink_no and x.lane = p_lane and x.id = f.id
    ), gone as (
      delete from millrace_private.messages m using unnest(p_finished) f (id)
       where m.sink_no = p_sink_no and m.lane = p_lane and m.id = f.id
      returning m.group_key, m.group_key2
    )
    select v_groups || coalesce(array_agg(g.group_key) filter (where g.group_key is not null), '{}')
           || coalesce(array_agg(g.group_key2) filter (where g.group_key2 is not null), '{}')
      into v_groups from gone g;
  end if;

  if p_hi > p_lo then
    if v_kept is null then
      delete from millrace_private.messages m
       where m.sink_no = p_sink_no and m.lane = p_lane and m.id > p_lo and m.id <= p_hi;
    else
      delete from millrace_private.messages m
       where m.sink_no = p_sink_no and m.lane = p_lane and m.id > p_lo and m.id <= p_hi and m.id <> all (v_kept);
    end if;
    select coalesce((select c.seq from millrace_private.cursor_log c
                      where c.sink_no = p_sink_no and c.lane = p_lane order by c.seq desc limit 1), 0) + 1 into v_seq;
    perform millrace_private.move_cursor(p_sink_no, p_lane, v_seq, p_hi);
  end if;

  if cardinality(v_groups) > 0 then
    perform millrace_private.free_held(p_sink_no, v_kind, v_groups);
  end if;
end
$$;

-- Puts parked messages back at their old place, to be tried at once and counted anew. Returns how many.
create function millrace.retry(sink text, ids bigint[]) returns integer language plpgsql as $$
declare
  v_no integer := millrace_private.sink_no(sink);
  v_count integer;
begin
  perform from millrace_private.lanes l where l.sink_no = v_no order by l.lane for no key update;
  perform pg_advisory_xact_lock_shared(7376, v_no);
  update millrace_private.exceptions x
     set state = 'retrying', attempts = 0, due_at = clock_timestamp(), parked_at = null, token = null
   where x.sink_no = v_no and x.id = any (ids) and x.state = 'parked';
  get diagnostics v_count = row_count;
  if v_count > 0 then
    perform pg_notify('millrace_messages', v_no::text);
  end if;
  return v_count;
end
$$;
comment on function millrace.retry(text, bigint[]) is
  'Puts parked messages back at their old place, to be tried again at once. Returns how many.';

-- Deletes messages that failed: parked, backing off or held. Returns how many.
create function millrace.discard(sink text, ids bigint[]) returns integer language plpgsql as $$
declare
  v_no integer := millrace_private.sink_no(sink);
  v_count integer;
  v_groups bigint[];
begin
  perform from millrace_private.lanes l where l.sink_no = v_no order by l.lane for no key update;
  perform pg_advisory_xact_lock_shared(7376, v_no);
  with dropped as (
    delete from millrace_private.exceptions x
     where x.sink_no = v_no and x.id = any (discard.ids) and x.state in ('parked', 'retrying', 'held')
    returning x.id
  ), gone as (
    delete from millrace_private.messages m using dropped d where m.sink_no = v_no and m.id = d.id
    returning m.group_key, m.group_key2
  )
  select count(*), array_agg(g.group_key) filter (where g.group_key is not null)
         || coalesce(array_agg(g.group_key2) filter (where g.group_key2 is not null), '{}')
    into v_count, v_groups from gone g;
  if cardinality(v_groups) > 0 then
    perform millrace_private.free_held(v_no, (select s.kind from millrace_private.sinks s where s.no = v_no), v_groups);
  end if;
  if v_count > 0 then
    perform pg_notify('millrace_messages', v_no::text);
  end if;
  return v_count;
end
$$;
comment on function millrace.discard(text, bigint[]) is
  'Deletes messages that failed: parked, backing off or held. Returns how many. They are gone for good.';

create function millrace_private.sink_no(p_sink text) returns integer
language plpgsql stable as $$
declare
  v_no integer;
begin
  select s.no into v_no from millrace_private.sinks s where s.name = p_sink;
  if not found then
    select s.no into v_no from millrace_private.sinks s where s.id::text = p_sink;
  end if;
  if v_no is null then
    raise exception 'there is no sink of this name or id' using errcode = 'MR404',
      hint = 'select sink_name from millrace.sink_status';
  end if;
  return v_no;
end
$$;

create function millrace_private.set_status(p_sink text, p_status text) returns boolean language plpgsql as $$
declare
  v_no integer := millrace_private.sink_no(p_sink);
begin
  update millrace_private.sinks s
     set status = p_status, settings = jsonb_set(s.settings, '{status}', to_jsonb(p_status)), updated_at = now()
   where s.no = v_no and s.status <> p_status;
  if not found then
    return false;
  end if;
  perform millrace_private.add_sink_storage(v_no);
  perform millrace_private.publish_catalog();
  perform pg_notify('millrace_messages', v_no::text);
  return true;
end
$$;

create function millrace.pause(sink text) returns boolean language sql as $$
  select millrace_private.set_status(sink, 'paused')
$$;
comment on function millrace.pause(text) is 'Stops delivery to a sink; its messages are kept. False when it was paused already.';

create function millrace.resume(sink text) returns boolean language sql as $$
  select millrace_private.set_status(sink, 'active')
$$;
comment on function millrace.resume(text) is 'Goes on with delivery to a sink. False when it was active already.';

-- After a gap (database_status says needs_resync): capture starts again from here, in a new epoch. What happened in the
-- gap is not captured; bring the sinks up to date afterwards.
create function millrace.accept_gap(database text) returns integer language plpgsql as $$
declare
  v_no integer;
  v_epoch integer;
begin
  select d.no into v_no from millrace_private.databases d where d.name = database or d.id::text = database;
  if not found then
    raise exception 'there is no database of this name or id' using errcode = 'MR404',
      hint = 'select database_name from millrace.database_status';
  end if;
  update millrace_private.positions p
     set epoch = p.epoch + 1, generation = p.generation + 1, system_identifier = null, timeline = null,
         database_oid = null, slot_name = null, publication_oid = null, state = 'starting', reason = null, remedy = null
   where p.database_no = v_no returning p.epoch into v_epoch;
  perform pg_notify('millrace_catalog', '');
  return v_epoch;
end
$$;
comment on function millrace.accept_gap(text) is
  'Starts capture of a database again after a gap, in a new epoch (returned). A lost slot must be dropped first.';

-- A message that is shaped late (it was parked and retried) may lie below the consumer's cursor, where no receive looks:
-- it is made due. Above the cursor receive finds it by itself. X keeps the cursor still. p_ids ascend.
create function millrace_private.reveal_shaped(p_sink_no integer, p_ids bigint[]) returns void language plpgsql as $$
begin
  if not exists (select from millrace_private.exceptions x
                  where x.sink_no = p_sink_no and x.lane = 1
                    and x.id >= p_ids[1] and x.id <= p_ids[cardinality(p_ids)]) then
    return;
  end if;
  perform pg_advisory_xact_lock(7376, p_sink_no);
  insert into millrace_private.exceptions as e (sink_no, id, lane, group_key, state, attempts, due_at)
  select p_sink_no, m.id, 0, m.group_key, 'waiting', 0, clock_timestamp()
    from millrace_private.messages m
   where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (p_ids)
     and m.id <= coalesce((select c.id from millrace_private.cursor_log c
                            where c.sink_no = p_sink_no and c.lane = 0 order by c.seq desc limit 1), 0)
     and exists (select from millrace_private.exceptions x where x.sink_no = p_sink_no and x.lane = 1 and x.id = m.id)
      on conflict (sink_no, id) do update
     set lane = 0, state = 'waiting', attempts = 0, due_at = excluded.due_at, stage = null, error = null, token = null;
end
$$;
