-- The message table: one row per change and sink. A row is never updated; it exists exactly as long as its message is
-- pending or parked, so that counting rows is the truth. The small tables beside it say who has what. What is written often
-- is appended: an updated hot row piles up versions under anybody's open snapshot.

-- Where capture stands. The row is locked by every persisting transaction and almost never updated; the position itself is
-- appended to position_log.
create table millrace_private.positions (
  database_no integer primary key references millrace_private.databases (no) on delete cascade,
  epoch integer not null default 1,           -- a new one when LSNs may have run backwards
  generation bigint not null default 0,       -- fences a stalled writer: every capture that starts adds one
  system_identifier text,
  left_system text,                           -- what the source was in the epoch before, if its history goes on in this one
  timeline integer,
  database_oid bigint,
  slot_name text,
  former_slots text[] not null default '{}',
  publication_oid bigint,
  state text not null default 'starting',     -- starting | streaming | standby | error | needs_resync
  reason text,
  remedy text,
  warnings text[] not null default '{}',      -- codes of what is wrong with a source that is captured all the same
  state_since timestamptz not null default now()
);

create table millrace_private.position_log (
  database_no integer not null references millrace_private.positions (database_no) on delete cascade,
  seq bigint not null,
  epoch integer not null,
  commit_lsn pg_lsn not null,                 -- of the last transaction persisted, perhaps in part
  commit_idx bigint not null,                 -- of its last change persisted
  confirmed_lsn pg_lsn not null,              -- may be, or was, confirmed to the source
  next_id bigint not null,
  primary key (database_no, seq)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- Capture of a database is looked after: a row every 5 s; the newest counts. Beyond the last 24 of a database every twelfth
-- stays for some hours: a message below next_id was there at that time, which is how old a message is known to be whatever the
-- source's clock says. Times are of this database's clock.
create table millrace_private.capture_beats (
  database_no integer not null references millrace_private.databases (no) on delete cascade,
  seq bigint not null,
  at timestamptz not null,
  generation bigint,                          -- of the capture that streams; null: it tries to; negative: its stream is over
  next_id bigint not null,
  primary key (database_no, seq)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- Some worker is there: a row every 5 s. The last ones stay.
create table millrace_private.worker_beats (
  seq bigint generated always as identity primary key,
  at timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- A source table under one of its names. A rename makes a new row; messages keep the name of their time.
create table millrace_private.source_tables (
  no integer generated always as identity primary key,
  database_no integer not null references millrace_private.databases (no) on delete cascade,
  oid bigint not null,
  schema_name text not null,
  table_name text not null,
  metadata text not null,                     -- JSON members: table_schema, table_name
  key_columns text[],                         -- when its changes last came, in order: a backlog outlives a key that was dropped
  unique (database_no, oid, schema_name, table_name)
);

-- What becomes of a partition is in no message, so capture remembers which there were.
create table millrace_private.partitions (
  database_no integer not null references millrace_private.positions (database_no) on delete cascade,
  root bigint not null,
  oid bigint not null,
  name text not null,
  file bigint not null,                       -- another one when it was truncated, or written anew
  primary key (database_no, root, oid)
);

create table millrace_private.messages (
  sink_no integer not null,
  lane smallint not null,                     -- push: hash of the group; pull: 0 receivable, 1 still to be shaped
  id bigint not null,                         -- increasing per source database, in commit order
  group_key bigint,                           -- hash of table and key; null: no order
  group_key2 bigint,                          -- of the old key, when an update changed it (pull consumers)
  source_table integer not null,
  action text not null,
  record_pks text not null,                   -- JSON array of text
  commit_lsn bigint not null,
  commit_idx bigint not null,
  committed_at timestamptz not null,
  record text not null,                       -- JSON text, as text: a json column may hold what jsonb refuses
  changes text,
  annotations text,
  unchanged_toast text,
  payload text                                -- what a transform made of it (pull consumers with functions)
) partition by list (sink_no);

-- Everything at or below id was passed. The newest row counts; older ones are deleted now and then. What a receive knows of
-- the leases goes on with it, so that the next one need not look at all of them: deleted ones are still in the way there,
-- for as long as somebody keeps a snapshot open.
create table millrace_private.cursor_log (
  sink_no integer not null,
  lane smallint not null,
  seq bigint not null,
  id bigint not null,
  in_flight integer not null default 0,       -- pull: not more than so many are leased
  swept_at timestamptz not null default '-infinity', -- pull: no lease is left that ended before
  at timestamptz default clock_timestamp(),   -- pull: when something was received
  primary key (sink_no, lane, seq)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- One row per batch handed out by receive, for the messages that left on the straight path. Ranges (lo, hi] never
-- overlap. dense: every row of the range is in the batch; otherwise ids lists them.
create table millrace_private.leases (
  sink_no integer not null,
  token text not null,
  lo bigint not null,
  hi bigint not null,
  until timestamptz not null,
  size integer not null,
  remaining integer not null,
  dense boolean not null,
  ids bigint[],
  digest bigint not null,                     -- of the ids, in order
  primary key (sink_no, token)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create index leases_until on millrace_private.leases (sink_no, until) include (remaining);
create index leases_hi on millrace_private.leases (sink_no, hi);

-- Only messages that left the straight path: one without a row here is on it. due_at is when something must happen to it: a lease that ends (leased), a
-- retry (retrying), its turn (waiting); null while it is parked or held behind an earlier one of its group.
create table millrace_private.delivery_states (
  sink_no integer not null,
  id bigint not null,
  lane smallint not null,
  group_key bigint,
  state text not null check (state in ('leased', 'retrying', 'waiting', 'held', 'parked')),
  attempts integer not null,                  -- deliveries so far
  due_at timestamptz,
  token text,                                 -- of the last lease it was in
  stage text,                                 -- where it failed: capture | shape | send | settle | receive, or the index it waits for
  error text,
  parked_at timestamptz,
  primary key (sink_no, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index delivery_states_due on millrace_private.delivery_states (sink_no, lane, due_at) where due_at is not null;
create index delivery_states_group on millrace_private.delivery_states (sink_no, group_key, id);
create index delivery_states_leased on millrace_private.delivery_states (sink_no) where state = 'leased';
create index delivery_states_parked on millrace_private.delivery_states (sink_no) where state = 'parked';
-- Of messages that wait for an index that a routing function named.
create index delivery_states_index on millrace_private.delivery_states (sink_no) where state = 'retrying' and stage = 'index';

-- Settings of pull consumers that receive needs. Updated only by the catalog.
create table millrace_private.consumers (
  sink_no integer primary key references millrace_private.sinks (no) on delete cascade,
  active boolean not null,
  visibility_timeout interval not null,
  max_ack_pending integer not null,
  max_deliver integer,
  max_per_group integer not null
);

-- Of groups, for two acknowledgements that each see the other's row still there (sql/schema/receive/free_groups.sql).
-- 256 rows for a consumer at most, made when they are needed, locked and never updated.
create table millrace_private.group_locks (
  sink_no integer not null,
  bucket smallint not null,
  primary key (sink_no, bucket)
);

-- Who delivers a lane of a push sink (or shapes a pull consumer's messages): one owner at a time, by the database's clock.
create table millrace_private.lanes (
  sink_no integer not null references millrace_private.sinks (no) on delete cascade,
  lane smallint not null,
  owner text,
  until timestamptz,
  -- Key of an advisory lock that the owner's process holds in a session of its own for as long as that lasts, so that a worker
  -- that died is known to be gone before its lease ends; null: unknown, and only the lease tells. Drawn at random by the owner:
  -- whoever takes such a lock in its place can only hide a death.
  session bigint,
  -- Owners that never gave the lane back since it was last trusted: perhaps one of its messages is what they died of. alone: the
  -- message that one had for itself at that time, and how many deaths it has seen so. Written only when a lane is taken from an
  -- owner that is gone, or while it is treated with care.
  deaths smallint not null default 0,
  alone bigint,
  alone_deaths smallint not null default 0,
  waiting_since timestamptz,                  -- a worker found work here and no owner; null since it was last given back
  primary key (sink_no, lane)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

-- A sink to which nothing can be delivered until somebody acts. Absent: closed, all is well.
create table millrace_private.circuits (
  sink_no integer primary key references millrace_private.sinks (no) on delete cascade,
  reason text not null,
  error text not null,
  opened_at timestamptz not null default now(),
  probe_at timestamptz not null
);
