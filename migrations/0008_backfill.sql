-- Backfills: rows of tables, sent as messages. Capture reads them page by page, and appends each page in the transaction
-- that moves the backfill's cursor: a page is there whole, once, or not at all.

create table millrace_private.backfills (
  id uuid primary key default gen_random_uuid(),
  no integer generated always as identity unique,
  sink_no integer not null references millrace_private.sinks (no) on delete cascade,
  -- all: one of kind table is made for each table; table: a table in key order; keys: the listed rows, which are sent as
  -- they are, or as a delete where they are gone; replay: entries of a change table
  kind text not null check (kind in ('all', 'table', 'keys', 'replay')),
  table_schema text,
  table_name text,
  sort_column text,
  start_position text,                         -- rows from this value of sort_column on
  keys jsonb,                                  -- keys: arrays of the key's values as text, in key order
  replay jsonb,                                -- replay: what to take from where
  state text not null default 'waiting'
    check (state in ('waiting', 'running', 'paused', 'done', 'cancelled', 'failed')),
  reason text,                                 -- what it waits for, or why it failed
  remedy text,
  position jsonb,                              -- where the next page begins
  rows_done bigint not null default 0,
  rows_sent bigint not null default 0,
  rows_total bigint,                           -- by the planner's estimate
  running_seconds double precision not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  moved_at timestamptz,
  ended_at timestamptz
) with (fillfactor = 50);
create index backfills_active on millrace_private.backfills (sink_no) where state in ('waiting', 'running', 'paused');
-- Two of the same table would send every row twice.
create unique index backfills_one on millrace_private.backfills (sink_no, table_schema, table_name)
 where state in ('waiting', 'running', 'paused') and kind = 'table';
create unique index backfills_one_of_all on millrace_private.backfills (sink_no)
 where state in ('waiting', 'running', 'paused') and kind = 'all';
alter table millrace_private.backfills set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- In the transaction that appends a page. The time since the page before counts as running, unless it was a pause.
create procedure millrace_private.move_backfill(
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
   where b.no = p_no
$$;

-- `table` as a user writes it: orders, public.orders, "My Schema"."T".
create function millrace_private.table_parts(p_table text) returns text[] language plpgsql immutable as $$
declare
  v_parts text[];
begin
  begin
    v_parts := parse_ident(p_table);
  exception when invalid_parameter_value then
    v_parts := '{}';
  end;
  if cardinality(v_parts) = 1 then
    return array['public', v_parts[1]];
  elsif cardinality(v_parts) = 2 then
    return v_parts;
  end if;
  raise exception '% names no table', quote_literal(p_table) using errcode = 'MR400',
    hint = 'Write the table as schema.table, with double quotes around names that have capitals or spaces.';
end
$$;

create function millrace.backfill(
  sink text, "table" text default null, sort_column text default null, start_position text default null)
returns uuid language plpgsql as $$
declare
  v_no integer := millrace_private.sink_no(sink);
  v_kind text;
  v_status text;
  v_parts text[];
  v_id uuid;
begin
  select s.kind, s.status into v_kind, v_status from millrace_private.sinks s where s.no = v_no;
  if v_kind = 'change_table' then
    raise exception 'sink %: a change table takes changes only, not rows that are there already', quote_literal(sink)
      using errcode = 'MR400', hint = 'Name a search index or a pull consumer.';
  end if;
  if v_status = 'disabled' then
    raise exception 'sink % is disabled: it keeps no messages', quote_literal(sink)
      using errcode = 'MR400', hint = 'Set its status to active or paused first.';
  end if;
  if (sort_column is null) <> (start_position is null) then
    raise exception 'sort_column and start_position belong together' using errcode = 'MR400',
      hint = 'Give both, or neither: millrace.backfill(''index'', ''public.orders'', ''updated_at'', ''2026-01-01'').';
  end if;
  if sort_column is not null and "table" is null then
    raise exception 'sort_column needs a table' using errcode = 'MR400', hint = 'Name the table whose column it is.';
  end if;
  if "table" is not null then
    v_parts := millrace_private.table_parts("table");
  end if;
  insert into millrace_private.backfills (sink_no, kind, table_schema, table_name, sort_column, start_position)
  values (v_no, case when "table" is null then 'all' else 'table' end, v_parts[1], v_parts[2],
          backfill.sort_column, backfill.start_position)
  returning id into v_id;
  return v_id;
exception when unique_violation then
  raise exception 'a backfill of % runs already',
    coalesce(format('%s to sink %s', quote_literal("table"), quote_literal(sink)), format('all tables of sink %s', quote_literal(sink)))
    using errcode = 'MR409', hint = 'select * from millrace.backfill_status; millrace.cancel_backfill(id) ends it.';
end
$$;
comment on function millrace.backfill(text, text, text, text) is
  'Sends the rows of a table (absent: of all tables of the sink) as messages of action read. With sort_column and start_position only rows from that value on. Returns the backfill''s id.';

create function millrace_private.backfill_no(p_id uuid) returns integer language plpgsql stable as $$
declare
  v_no integer;
begin
  select b.no into v_no from millrace_private.backfills b where b.id = p_id;
  if not found then
    raise exception 'there is no backfill %', p_id using errcode = 'MR404', hint = 'select id from millrace.backfill_status';
  end if;
  return v_no;
end
$$;

-- Each answers whether it changed anything.
create function millrace.pause_backfill(backfill uuid) returns boolean language plpgsql as $$
begin
  update millrace_private.backfills b set state = 'paused', reason = null, remedy = null
   where b.no = millrace_private.backfill_no(backfill) and b.state in ('waiting', 'running');
  return found;
end
$$;
create function millrace.resume_backfill(backfill uuid) returns boolean language plpgsql as $$
begin
  update millrace_private.backfills b
     set state = 'waiting', reason = null, remedy = null, moved_at = null, ended_at = null
   where b.no = millrace_private.backfill_no(backfill) and b.state in ('paused', 'failed');
  return found;
exception when unique_violation then
  raise exception 'another backfill of this table runs' using errcode = 'MR409',
    hint = 'select * from millrace.backfill_status';
end
$$;
create function millrace.cancel_backfill(backfill uuid) returns boolean language plpgsql as $$
begin
  update millrace_private.backfills b set state = 'cancelled', reason = null, remedy = null, ended_at = clock_timestamp()
   where b.no = millrace_private.backfill_no(backfill) and b.state in ('waiting', 'running', 'paused', 'failed');
  return found;
end
$$;
comment on function millrace.pause_backfill(uuid) is 'Stops a backfill after its current page. False when it was not under way.';
comment on function millrace.resume_backfill(uuid) is
  'Goes on with a paused or failed backfill where it was. False when it was neither.';
comment on function millrace.cancel_backfill(uuid) is
  'Ends a backfill for good; what it sent stays sent. False when it had ended.';

create view millrace.backfill_status as
  select b.id, s.name as sink_name, b.kind, b.table_schema, b.table_name, b.state, b.reason, b.remedy,
         b.rows_done, b.rows_sent, b.rows_total,
         case when b.state = 'done' then 100
              when b.rows_total > 0 then least(99, floor(100.0 * b.rows_done / b.rows_total))::integer end as percent,
         r.rows_per_second,
         case when b.state = 'running' and b.rows_total > b.rows_done and r.rows_per_second > 0
              then make_interval(secs => (b.rows_total - b.rows_done) / r.rows_per_second) end as time_left,
         b.sort_column, b.start_position, b.created_at, b.started_at, b.ended_at
    from millrace_private.backfills b
    join millrace_private.sinks s on s.no = b.sink_no
   cross join lateral (select round((b.rows_done / nullif(b.running_seconds, 0))::numeric, 1) as rows_per_second) r;
comment on view millrace.backfill_status is
  'One row a backfill, also of those that have ended: how far it is, what it waits for, why it failed. Its messages are pending until they are delivered: see sink_status.';
comment on column millrace.backfill_status.kind is 'all (makes one for each table), table, keys (listed rows) or replay (of a change table).';
comment on column millrace.backfill_status.state is 'waiting, running, paused, done, cancelled or failed.';
comment on column millrace.backfill_status.reason is 'What it waits for, or why it failed.';
comment on column millrace.backfill_status.remedy is 'What to do about it.';
comment on column millrace.backfill_status.rows_done is 'Rows read and looked at.';
comment on column millrace.backfill_status.rows_sent is 'Of them: sent as messages. The others do not pass the filters, or changed meanwhile and were sent as that change.';
comment on column millrace.backfill_status.rows_total is 'Rows to read, by the planner''s estimate.';
comment on column millrace.backfill_status.rows_per_second is 'Of the time that it was under way.';
comment on column millrace.backfill_status.time_left is 'By that rate.';

do $$
begin
  if exists (select from pg_roles where rolname = 'millrace_reader') then
    grant select on millrace.backfill_status to millrace_reader;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
revoke execute on all functions in schema millrace from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'millrace_reader') then
    grant execute on function millrace.metrics() to millrace_reader;
  end if;
end
$$;
