-- Whoever writes states also writes when, and health is decided in one place: a level (ok, warning, unknown, failing) and its
-- reasons, the same in the views, in /healthz and in the metrics. Times are of this database's clock.

-- Capture of a database is looked after: a row every 5 s. Appended, never updated, so that nothing piles up under somebody's
-- snapshot; the newest counts. Beyond the last 24 of a database every twelfth stays for some hours: a message below
-- next_id was there at that time, which is how old a message is known to be whatever the source's clock says.
create table millrace_private.capture_beats (
  database_no integer not null references millrace_private.databases (no) on delete cascade,
  seq bigint not null,
  at timestamptz not null,
  generation bigint,                          -- of the capture that streams; null: it tries to; negative: its stream is over
  next_id bigint not null,
  primary key (database_no, seq)
);

-- Some worker is there: a row every 5 s. As above; the last ones stay.
create table millrace_private.worker_beats (
  seq bigint generated always as identity primary key,
  at timestamptz not null
);

alter table millrace_private.capture_beats set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
alter table millrace_private.worker_beats set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- Codes of what is wrong with a source that is captured all the same.
alter table millrace_private.positions add column warnings text[] not null default '{}';
-- A worker found work here and no owner; null since the lane was last given back.
alter table millrace_private.lanes add column waiting_since timestamptz;
-- Of a pull consumer: when something was received.
alter table millrace_private.cursor_log add column at timestamptz;
alter table millrace_private.cursor_log alter column at set default clock_timestamp();
create index exceptions_parked on millrace_private.exceptions (sink_no) where state = 'parked';
-- Of messages that wait for an index that a routing function named.
create index exceptions_index on millrace_private.exceptions (sink_no) where state = 'retrying' and stage = 'index';

-- Written every 5 s. What lies in the future was written before the clock was set back, and says nothing.
create function millrace_private.is_fresh(p_at timestamptz) returns boolean language sql volatile
return coalesce(p_at between clock_timestamp() - interval '15 s' and clock_timestamp() + interval '15 s', false);

-- The worst level that there is a reason for, and all reasons, the worst first.
create function millrace_private.judged(
  p_failing text[], p_unknown text[], p_warning text[], p_noted text[], out level text, out reasons text[])
language sql immutable as $$
  select case when cardinality(p_failing) > 0 then 'failing'
              when cardinality(p_unknown) > 0 then 'unknown'
              when cardinality(p_warning) > 0 then 'warning'
              else 'ok' end,
         p_failing || p_unknown || p_warning || p_noted
$$;

-- The state of a source, and its health. A state that nobody has confirmed for 15 s is unknown; but a gap stays a gap.
-- streaming, although the publication lost a table that was dropped and created again, is a state of its own: its changes do
-- not come. Nobody reads from a database that no sink wants, so it is in none.
create function millrace_private.database_health(
  p_database_no integer, out state text, out reason text, out remedy text, out since timestamptz, out level text,
  out reasons text[])
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_seen timestamptz;
  v_warnings text[];
  v_tables bigint;
  v_message text;
  v_remedy text;
  v_since timestamptz;
begin
  level := 'ok';
  reasons := '{}';
  if not exists (select from millrace_private.sinks s
                   join millrace_private.databases d on d.id = s.database_id where d.no = p_database_no) then
    return;
  end if;
  select p.state, p.reason, p.remedy, p.state_since, p.warnings,
         coalesce((select b.at from millrace_private.capture_beats b
                    where b.database_no = p_database_no order by b.seq desc limit 1), p.state_since)
    into state, reason, remedy, since, v_warnings, v_seen
    from millrace_private.positions p where p.database_no = p_database_no;
  if millrace_private.is_fresh(v_seen) is not true then
    if state = 'needs_resync' then
      select j.level, j.reasons into level, reasons
        from millrace_private.judged(array[state], '{no_capture}', '{}', '{}') j;
      return;
    end if;
    reason := 'no capture process has reported since then; the last state was '
              || coalesce(state, 'none') || coalesce(' (' || reason || ')', '');
    remedy := 'bin/millrace start capture; if that is running, its log says what it does';
    state := 'unknown';
    since := v_seen;
    select j.level, j.reasons into level, reasons from millrace_private.judged('{}', '{no_capture}', '{}', '{}') j;
    return;
  end if;
  if state = 'streaming' then
    select count(distinct n.table_name), min(n.message), min(n.created_at), (array_agg(n.remedy order by n.message))[1]
      into v_tables, v_message, v_since, v_remedy
      from millrace_private.notices n
      join millrace_private.sinks s on s.no = n.sink_no
      join millrace_private.databases d on d.id = s.database_id
     where d.no = p_database_no and n.code = 'table_detached' and n.remedy like 'alter publication %';
    if v_tables > 0 then
      state := 'table_detached';
      reason := case when v_tables > 1 then format('%s; and so %s more', v_message, v_tables - 1) else v_message end;
      remedy := v_remedy;
      since := v_since;
    end if;
  end if;
  -- Somebody else on the slot for longer than a moment: then nothing is captured.
  select j.level, j.reasons into level, reasons
    from millrace_private.judged(
           case when state in ('error', 'needs_resync', 'table_detached') then array[state]
                when state = 'standby' and since < clock_timestamp() - interval '1 min' then array[state]
                else '{}' end,
           '{}',
           case when state in ('streaming', 'table_detached') then v_warnings
                when state = 'standby' and since >= clock_timestamp() - interval '1 min' then array[state]
                else '{}' end,
           '{}') j;
end
$$;

-- Is there work in one of its lanes, and is one left to itself: a worker saw work there, and no owner has come since?
-- Rows are looked for only above the place of each lane: see count_pending. Planned each time, for its own sink: a plan for any
-- sink would open the partitions of all of them.
create function millrace_private.lane_health(p_sink_no integer, out has_work boolean, out is_left boolean)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
begin
  select count(*) > 0,
         coalesce(bool_or(l.waiting_since < clock_timestamp() - interval '30 s'
                          and (l.owner is null or l.until < clock_timestamp())), false)
    into has_work, is_left
    from millrace_private.lanes l
   where l.sink_no = p_sink_no
     and (exists (select from millrace_private.messages m
                   where m.sink_no = p_sink_no and m.lane = l.lane
                     and m.id > coalesce((select c.id from millrace_private.cursor_log c
                                           where c.sink_no = p_sink_no and c.lane = l.lane
                                           order by c.seq desc limit 1), 0))
          or exists (select from millrace_private.exceptions e
                      where e.sink_no = p_sink_no and e.lane = l.lane and e.due_at <= clock_timestamp()));
end
$$;

-- For how long a sink's first message has waited, by this database's clock, to the minute; null: there is none. What clients
-- of a pull consumer have, or gave back, is theirs. It looks at 1,000 rows at most, however many were parked.
create function millrace_private.waited(p_sink_no integer, p_database_no integer) returns interval
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
declare
  v_id bigint;
begin
  select min(f.id) into v_id
    from (select l.lane, coalesce((select c.id from millrace_private.cursor_log c
                                    where c.sink_no = p_sink_no and c.lane = l.lane order by c.seq desc limit 1), 0) as id
            from (select k.lane from millrace_private.lanes k where k.sink_no = p_sink_no union select 0::smallint) l) p
   cross join lateral (select n.id
                         from (select m.id from millrace_private.messages m
                                where m.sink_no = p_sink_no and m.lane = p.lane and m.id > p.id
                                order by m.id limit 1000) n
                        where not exists (select from millrace_private.exceptions e
                                           where e.sink_no = p_sink_no and e.id = n.id offset 0)
                        order by n.id limit 1) f;
  if not exists (select from millrace_private.consumers c where c.sink_no = p_sink_no) then
    select least(v_id, min(d.id)) into v_id
      from (select e.id from millrace_private.lanes l
             cross join lateral (select x.id from millrace_private.exceptions x
                                  where x.sink_no = p_sink_no and x.lane = l.lane and x.due_at is not null
                                  order by x.due_at limit 1000) e
             where l.sink_no = p_sink_no) d;
  end if;
  return (select clock_timestamp() - min(b.at) from millrace_private.capture_beats b
           where b.database_no = p_database_no and b.next_id > v_id);
end
$$;

-- The health of a sink. `health` is the first reason that makes it failing or unknown, or its status when that is not active.
create function millrace_private.sink_health(p_sink_no integer, out health text, out level text, out reasons text[])
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
declare
  v_sink record;
  v_source record;
  v_lanes record;
  v_waited interval;
  v_is_open boolean;
  v_failing text[] := '{}';
  v_unknown text[] := '{}';
  v_warning text[] := '{}';
  v_noted text[] := '{}';
begin
  select s.kind, s.status, d.no as database_no into v_sink
    from millrace_private.sinks s join millrace_private.databases d on d.id = s.database_id where s.no = p_sink_no;
  if v_sink.status <> 'active' then
    v_noted := array[v_sink.status];
  else
    v_failing := array(select b.reason from millrace_private.circuits b where b.sink_no = p_sink_no);
    v_is_open := cardinality(v_failing) > 0;
    select d.state, d.level into v_source from millrace_private.database_health(v_sink.database_no) d;
    if v_source.state in ('error', 'needs_resync') or v_source.state = 'standby' and v_source.level = 'failing' then
      v_failing := v_failing || ('source_' || v_source.state);
    elsif v_source.state = 'unknown' then
      v_unknown := v_unknown || 'source_unknown'::text;
    end if;
    if exists (select from millrace_private.exceptions e
                where e.sink_no = p_sink_no and e.state = 'retrying' and e.stage = 'index') then
      v_failing := v_failing || 'routed_index_failing'::text;
    end if;
    select l.has_work, l.is_left into v_lanes from millrace_private.lane_health(p_sink_no) l;
    if v_lanes.has_work
       and not millrace_private.is_fresh((select b.at from millrace_private.worker_beats b order by b.seq desc limit 1)) then
      v_unknown := v_unknown || 'no_worker'::text;
    elsif v_lanes.is_left and not v_is_open then
      v_unknown := v_unknown || 'not_worked_on'::text;
    end if;
    v_waited := millrace_private.waited(p_sink_no, v_sink.database_no);
    if v_waited > interval '1 h' and v_sink.kind = 'pull'
       and not exists (select from millrace_private.leases l where l.sink_no = p_sink_no and l.until > clock_timestamp())
       and coalesce((select c.at from millrace_private.cursor_log c
                      where c.sink_no = p_sink_no and c.lane = 0 order by c.seq desc limit 1), '-infinity')
           < clock_timestamp() - interval '1 h' then
      v_warning := v_warning || 'nobody_receives'::text;
    elsif v_waited > interval '5 min' then
      v_warning := v_warning || 'behind'::text;
    end if;
  end if;
  if v_sink.status <> 'disabled' then
    if exists (select from millrace_private.exceptions e where e.sink_no = p_sink_no and e.state = 'parked') then
      v_warning := v_warning || 'parked'::text;
    end if;
    v_warning := v_warning || array(select distinct n.code from millrace_private.notices n
                                     where n.sink_no = p_sink_no and n.code <> 'no_old_values' order by 1);
    v_noted := v_noted || array(select distinct n.code from millrace_private.notices n
                                 where n.sink_no = p_sink_no and n.code = 'no_old_values');
  end if;
  select j.level, j.reasons into level, reasons
    from millrace_private.judged(v_failing, v_unknown, v_warning, v_noted) j;
  health := case when v_sink.status <> 'active' then v_sink.status
                 when level in ('failing', 'unknown') then reasons[1]
                 else 'ok' end;
end
$$;

-- As metrics show a level: the higher the worse.
create function millrace_private.level_number(p_level text) returns integer language sql immutable
return array_position('{ok,warning,unknown,failing}'::text[], p_level) - 1;

create or replace view millrace.sink_status as
  select s.name as sink_name, s.kind, d.name as database_name, s.status,
         h.health,
         c.pending,
         x.retrying, x.parked,
         millrace_private.oldest_committed_at(s.no) as oldest_committed_at,
         coalesce(b.error, x.index_error) as error, b.opened_at as failing_since, b.probe_at as next_probe_at,
         (select json_agg(json_build_object('code', n.code, 'table', n.table_name, 'message', n.message,
                                            'remedy', n.remedy, 'since', n.created_at) order by n.created_at)
            from millrace_private.notices n where n.sink_no = s.no) as notices,
         c.is_estimate as pending_is_estimate,
         h.level, h.reasons
    from millrace_private.sinks s
    join millrace_private.databases d on d.id = s.database_id
    left join millrace_private.circuits b on b.sink_no = s.no
    left join lateral (select max(f.health) as health, max(f.level) as level, max(f.reasons) as reasons
                         from millrace_private.sink_health(s.no) f) h on true
    left join lateral (select max(n.pending) as pending, bool_or(n.is_estimate) as is_estimate
                         from millrace_private.count_pending(s.no) n) c on true
    left join lateral (select count(*) filter (where e.state in ('retrying', 'held')) as retrying,
                              count(*) filter (where e.state = 'parked') as parked,
                              max(e.error) filter (where e.state = 'retrying' and e.stage = 'index') as index_error
                         from millrace_private.exceptions e where e.sink_no = s.no) x on true;
comment on view millrace.sink_status is
  'One row for each sink: its health (level, and the reasons for it), how many messages wait, since when it fails and with what answer, and its notices with their remedies.';
comment on column millrace.sink_status.health is
  'ok, or the first reason for which nothing is delivered or nobody knows: an open circuit''s, source_<state>, routed_index_failing (error says which), no_worker, not_worked_on; paused or disabled.';
comment on column millrace.sink_status.level is
  'ok, warning (it works, but somebody should look), unknown (nobody says) or failing; as in /healthz.';
comment on column millrace.sink_status.reasons is
  'Codes of all that is known to be wrong, the worst first: see docs/operations.md, Health.';

create or replace view millrace.consumer_status as
  select s.name as sink_name, s.status,
         n.pending,
         coalesce((select sum(l.remaining) from millrace_private.leases l where l.sink_no = s.no), 0) + x.leased as leased,
         x.retrying, x.held, x.parked, c.visibility_timeout, c.max_ack_pending, c.max_deliver, c.max_per_group,
         least((select min(l.until) from millrace_private.leases l where l.sink_no = s.no),
               (select min(e.due_at) from millrace_private.exceptions e where e.sink_no = s.no and e.lane = 0)) as next_due_at,
         (select array_agg(distinct k.pid) from pg_locks k
            join pg_class r on r.oid = k.relation
            join pg_stat_activity a on a.pid = k.pid
           where k.locktype = 'relation' and k.granted and k.mode <> 'AccessShareLock'
             and k.database = (select d.oid from pg_database d where d.datname = current_database())
             and r.relname in ('turn_' || s.no, 'lock_' || s.no)
             and r.relnamespace = (select w.oid from pg_namespace w where w.nspname = 'millrace_private')
             and a.xact_start < clock_timestamp() - interval '2 s') as blocked_by,
         n.is_estimate as pending_is_estimate,
         h.level, h.reasons
    from millrace_private.sinks s
    join millrace_private.consumers c on c.sink_no = s.no
    left join lateral (select max(f.level) as level, max(f.reasons) as reasons
                         from millrace_private.sink_health(s.no) f) h on true
    left join lateral (select max(k.pending) as pending, bool_or(k.is_estimate) as is_estimate
                         from millrace_private.count_pending(s.no) k) n on true
    left join lateral (select count(*) filter (where e.state = 'leased') as leased,
                              count(*) filter (where e.state = 'retrying') as retrying,
                              count(*) filter (where e.state = 'held') as held,
                              count(*) filter (where e.state = 'parked') as parked
                         from millrace_private.exceptions e where e.sink_no = s.no) x on true;
comment on column millrace.consumer_status.level is 'As in millrace.sink_status.';
comment on column millrace.consumer_status.reasons is 'As in millrace.sink_status.';

create or replace view millrace.database_status as
  select d.name as database_name, h.state, h.reason, h.remedy, h.since as state_since,
         p.epoch, p.slot_name, l.commit_lsn, l.confirmed_lsn, h.level, h.reasons
    from millrace_private.databases d
    left join millrace_private.positions p on p.database_no = d.no
    left join lateral (select g.commit_lsn, g.confirmed_lsn from millrace_private.position_log g
                        where g.database_no = d.no order by g.seq desc limit 1) l on true
   cross join lateral millrace_private.database_health(d.no) h;
comment on column millrace.database_status.state is
  'starting, streaming, standby, error, needs_resync, table_detached or unknown (no capture process has reported for 15 s); null: no sink reads from it.';
comment on column millrace.database_status.level is
  'ok, warning (it is captured, but somebody should look), unknown or failing; as in /healthz.';
comment on column millrace.database_status.reasons is
  'Codes of all that is known to be wrong, the worst first: see docs/operations.md, Sources.';

create or replace function millrace.metrics() returns table (name text, labels jsonb, value double precision)
language sql stable as $$
  select m.name, jsonb_build_object('sink', s.sink_name, 'kind', s.kind), m.value
    from millrace.sink_status s
   cross join lateral (values
     ('sink_pending_messages', s.pending::double precision),
     ('sink_retrying_messages', s.retrying::double precision),
     ('sink_parked_messages', s.parked::double precision),
     ('sink_oldest_message_age_seconds',
      coalesce(extract(epoch from clock_timestamp() - s.oldest_committed_at), 0)::double precision),
     ('sink_ok', (s.level in ('ok', 'warning'))::integer::double precision),
     ('sink_health_level', millrace_private.level_number(s.level)::double precision)) m (name, value)
  union all
  select 'sink_health_reason', jsonb_build_object('sink', s.sink_name, 'kind', s.kind, 'reason', r.reason), 1
    from millrace.sink_status s
   cross join lateral unnest(s.reasons) r (reason)
  union all
  select 'consumer_leased_messages', jsonb_build_object('sink', c.sink_name), c.leased::double precision
    from millrace.consumer_status c
  union all
  select m.name, jsonb_build_object('database', d.database_name), m.value
    from millrace.database_status d
   cross join lateral (values
     ('database_streaming', (d.state = 'streaming')::integer::double precision),
     ('database_health_level', millrace_private.level_number(d.level)::double precision)) m (name, value)
   where d.state is not null
  union all
  select 'database_health_reason', jsonb_build_object('database', d.database_name, 'reason', r.reason), 1
    from millrace.database_status d
   cross join lateral unnest(d.reasons) r (reason)
$$;
