-- What was done, summed up by each process and written each 10 s. A crash loses the last 10 s: these are figures, no ledger.

-- A row for each sink and minute (of the last 24 h) or hour (31 days) in which something happened.
create table millrace_private.sink_counters (
  sink_no integer not null references millrace_private.sinks (no) on delete cascade,
  step text not null check (step in ('minute', 'hour')),
  at timestamptz not null,                    -- its beginning
  persisted bigint not null default 0,
  delivered bigint not null default 0,
  failed bigint not null default 0,
  retried bigint not null default 0,
  parked bigint not null default 0,
  discarded bigint not null default 0,
  bytes bigint not null default 0,            -- of what was persisted
  latency bigint[] not null,                  -- messages by the time from commit to delivery: millrace_private.latency_bounds
  primary key (sink_no, step, at)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
create index sink_counters_at on millrace_private.sink_counters (step, at);

-- The same since the sink was made. latency_ms: the sum of all latencies.
create table millrace_private.sink_totals (
  sink_no integer primary key references millrace_private.sinks (no) on delete cascade,
  persisted bigint not null default 0,
  delivered bigint not null default 0,
  failed bigint not null default 0,
  retried bigint not null default 0,
  parked bigint not null default 0,
  discarded bigint not null default 0,
  bytes bigint not null default 0,
  latency bigint[] not null,
  latency_ms double precision not null default 0
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- What capture sees of a source: the greatest of each minute and hour.
create table millrace_private.database_counters (
  database_no integer not null references millrace_private.databases (no) on delete cascade,
  step text not null check (step in ('minute', 'hour')),
  at timestamptz not null,                    -- its beginning
  lag_bytes bigint not null,                  -- WAL that is written there and not confirmed
  kept_bytes bigint,                          -- WAL that the slot keeps; null: unknown
  limit_bytes bigint,                         -- max_slot_wal_keep_size; null: no limit
  primary key (database_no, step, at)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
create index database_counters_at on millrace_private.database_counters (step, at);

-- Each process of a role says that it is there, with its counters. Gone after an hour.
create table millrace_private.processes (
  id uuid primary key,
  role text not null,
  host text not null,
  pid integer not null,
  version text not null,
  key_id text not null,                       -- of SECRET_KEY; tells nothing about it
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- The last run of the job that deletes a change table's old entries, where that is ours.
create table millrace_private.retention_runs (
  sink_no integer primary key references millrace_private.sinks (no) on delete cascade,
  ran_at timestamptz not null,
  deleted bigint not null,
  error text,                                 -- null: it succeeded
  next_at timestamptz
);
