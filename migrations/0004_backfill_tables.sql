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
  resync boolean not null default false,       -- it closes a gap: what was said of the table before is over when it is done
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
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create index backfills_active on millrace_private.backfills (sink_no) where state in ('waiting', 'running', 'paused');
-- Two of the same table would send every row twice.
create unique index backfills_one on millrace_private.backfills (sink_no, table_schema, table_name)
 where state in ('waiting', 'running', 'paused') and kind = 'table';
create unique index backfills_one_of_all on millrace_private.backfills (sink_no)
 where state in ('waiting', 'running', 'paused') and kind = 'all';
-- Two of the same would send every entry twice.
create unique index backfills_one_replay on millrace_private.backfills (sink_no, (replay ->> 'retention_id'))
 where state in ('waiting', 'running', 'paused') and kind = 'replay' and not replay ? 'after';
