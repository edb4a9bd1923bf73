-- Resync: after a gap in what a source sent, capture starts again, and the rows of every table are sent to every sink that
-- takes rows, in one call. What it sends begins behind the new slot, for backfills run beside a stream only: no change is
-- lost between the two.

-- Backfills that mend a gap: when all rows of a table were sent, what was said of that table before is over.
alter table millrace_private.backfills add column resync boolean not null default false;

-- After a gap: captured again from here. Fences whoever still streams; that the source is another one now is no news any more.
create function millrace_private.begin_epoch(p_database_no integer) returns integer language plpgsql as $$
declare
  v_epoch integer;
begin
  update millrace_private.positions p
     set epoch = p.epoch + 1, generation = p.generation + 1, system_identifier = null,
         state = 'starting', reason = null, remedy = null, state_since = clock_timestamp()
   where p.database_no = p_database_no returning p.epoch into v_epoch;
  perform pg_notify('millrace_catalog', '');
  return v_epoch;
end
$$;

create function millrace_private.database_no(p_database text) returns integer language plpgsql stable as $$
declare
  v_no integer;
begin
  select d.no into v_no from millrace_private.databases d where d.name = p_database or d.id::text = p_database;
  if not found then
    raise exception 'there is no database %', quote_nullable(p_database) using errcode = 'MR404',
      hint = 'select database_name from millrace.database_status';
  end if;
  return v_no;
end
$$;

create or replace function millrace.accept_gap(database text) returns integer language plpgsql as $$
declare
  v_no integer := millrace_private.database_no(database);
  v_epoch integer := millrace_private.begin_epoch(v_no);
begin
  -- Whoever accepts the gap brings the sinks up to date, with this too.
  delete from millrace_private.notices n
   using millrace_private.sinks s, millrace_private.databases d
   where s.no = n.sink_no and d.id = s.database_id and d.no = v_no
     and n.code in ('truncated', 'table_detached', 'added_late', 'gap');
  return v_epoch;
end
$$;
comment on function millrace.accept_gap(text) is
  'Starts capture of a database again after a gap, in a new epoch (returned), and sends nothing: millrace.resync does. A slot that is gone or lost is made anew when slot.create_if_not_exists is set.';

create function millrace.resync(database text, force boolean default false) returns setof uuid language plpgsql as $$
declare
  v_no integer := millrace_private.database_no(database);
  v_state text;
  v_sink record;
  v_id uuid;
begin
  select p.state into v_state from millrace_private.positions p where p.database_no = v_no for update;
  if v_state is null then
    raise exception 'no sink reads from database %', quote_literal(database) using errcode = 'MR400',
      hint = 'Declare a sink of it first.';
  end if;
  if v_state <> 'needs_resync' and not force then
    raise exception 'database % needs no resync: it is %', quote_literal(database), v_state using errcode = 'MR409',
      hint = format('select * from millrace.database_status; if all rows are to be sent all the same: select millrace.resync(%L, force => true)', database);
  end if;
  perform millrace_private.begin_epoch(v_no);
  for v_sink in
    select s.no, s.name, s.kind from millrace_private.sinks s
      join millrace_private.databases d on d.id = s.database_id
     where d.no = v_no and s.status <> 'disabled' order by s.no
  loop
    if v_sink.kind <> 'search_index' then
      insert into millrace_private.notices as n (sink_no, code, table_name, message, remedy)
      values (v_sink.no, 'gap', '',
              case v_sink.kind
                when 'change_table' then 'changes were missed before ' || to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') || ': the change table has no entries of them'
                else 'changes were missed before ' || to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') || ': all rows are sent again, but no message tells which were deleted meanwhile' end,
              format('select millrace.dismiss(%L, ''gap'')', v_sink.name))
      on conflict (sink_no, code, table_name) do update
        set message = excluded.message, remedy = excluded.remedy, created_at = clock_timestamp();
    end if;
    continue when v_sink.kind = 'change_table';
    -- What was read before the gap may have changed in it.
    update millrace_private.backfills b
       set state = 'cancelled', reason = 'a resync sends all rows', remedy = null, ended_at = clock_timestamp()
     where b.sink_no = v_sink.no and b.kind in ('all', 'table') and b.state in ('waiting', 'running', 'paused', 'failed');
    insert into millrace_private.backfills (sink_no, kind, resync) values (v_sink.no, 'all', true) returning id into v_id;
    return next v_id;
  end loop;
end
$$;
comment on function millrace.resync(text, boolean) is
  'Mends a database that needs a resync: capture starts again in a new epoch, and all rows are sent to each of its search indexes and pull consumers. Returns the ids of these backfills. Documents of rows that were deleted meanwhile are found by millrace verify --repair.';

create function millrace.dismiss(sink text, code text) returns boolean language plpgsql as $$
declare
  v_no integer := millrace_private.sink_no(sink);
begin
  if dismiss.code not in ('gap', 'truncated', 'table_detached', 'added_late') then
    raise exception 'a notice % goes by itself when its cause is mended', quote_literal(code) using errcode = 'MR400',
      hint = 'These stay until they are dismissed: gap, truncated, table_detached, added_late.';
  end if;
  delete from millrace_private.notices n where n.sink_no = v_no and n.code = dismiss.code;
  return found;
end
$$;
comment on function millrace.dismiss(text, text) is
  'Takes away a sink''s notices of what cannot be seen to be mended: gap, truncated, table_detached, added_late. False when there was none.';

create or replace procedure millrace_private.move_backfill(
  p_no integer, p_position jsonb, p_done bigint, p_sent bigint, p_ended boolean) language sql as $$
  update millrace_private.backfills b
     set position = p_position, rows_done = b.rows_done + p_done, rows_sent = b.rows_sent + p_sent,
         running_seconds = b.running_seconds
           + least(10, extract(epoch from clock_timestamp() - coalesce(b.moved_at, b.started_at, clock_timestamp()))),
         moved_at = clock_timestamp(),
         state = case when p_ended and b.state <> 'cancelled' then 'done' else b.state end,
         reason = case when p_ended then null else b.reason end,
         remedy = case when p_ended then null else b.remedy end,
         ended_at = case when p_ended then clock_timestamp() else b.ended_at end
   where b.no = p_no;
  -- Said before it was asked for, of a table whose rows are all sent now. An index may hold documents of rows that are gone:
  -- of it this is said after a verification.
  delete from millrace_private.notices n
   using millrace_private.backfills b, millrace_private.sinks s
   where p_ended and b.no = p_no and b.state = 'done' and b.kind = 'table' and b.start_position is null
     and s.no = b.sink_no and n.sink_no = b.sink_no and n.table_name = b.table_schema || '.' || b.table_name
     and n.created_at < b.created_at
     and (n.code = 'added_late' or n.code = 'table_detached' and s.kind = 'pull'
          or b.resync and n.code in ('truncated', 'table_detached'))
$$;

revoke execute on all functions in schema millrace from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'millrace_reader') then
    grant execute on function millrace.metrics() to millrace_reader;
  end if;
end
$$;
