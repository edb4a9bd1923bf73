-- What an operator asked for and a worker does: it compares an index with its tables, fills a second index, closes a gap. A
-- worker has an operation by a lease, and writes into it by the token of that lease alone: one that was overtaken changes nothing.
create table millrace_private.operations (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('verify', 'rebuild', 'resync')),
  sink_no integer references millrace_private.sinks (no) on delete cascade, -- resync: null
  database_no integer not null references millrace_private.databases (no) on delete cascade,
  parent_id uuid references millrace_private.operations (id) on delete cascade, -- verify: the resync that wants it
  request jsonb not null,
  requested_by text not null,
  state text not null default 'waiting'
    check (state in ('waiting', 'running', 'paused', 'done', 'cancelled', 'failed')),
  phase text,
  progress jsonb,                              -- table, done, sent, total, percent, per_second, seconds_left
  lines text[] not null default '{}',          -- what a person sees who watches
  steps jsonb not null default '[]',           -- what is over: at, text, and the operation that it was
  kept jsonb,                                  -- what the next attempt goes on from; null when it ended
  result jsonb,
  reason text,                                 -- what it waits for, or why it failed
  remedy text,
  attempt integer not null default 0,
  owner text,
  token uuid,
  until timestamptz,                           -- of the lease; without an owner: not before
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  moved_at timestamptz,
  ended_at timestamptz
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create index operations_open on millrace_private.operations (created_at) where state in ('waiting', 'running', 'paused');
create index operations_ended on millrace_private.operations (ended_at) where ended_at is not null;
create index operations_parent on millrace_private.operations (parent_id) where parent_id is not null;
-- Two of the same would do everything twice.
create unique index operations_one_of_sink on millrace_private.operations (sink_no, kind)
 where state in ('waiting', 'running', 'paused') and sink_no is not null;
create unique index operations_one_of_database on millrace_private.operations (database_no, kind)
 where state in ('waiting', 'running', 'paused') and sink_no is null;

-- What a verification found, the first thousand. Names and keys, no other values of a row.
create table millrace_private.operation_findings (
  operation_id uuid not null references millrace_private.operations (id) on delete cascade,
  no integer not null,
  finding jsonb not null,                      -- kind, index, id, table, key, fields, reason
  primary key (operation_id, no)
);
