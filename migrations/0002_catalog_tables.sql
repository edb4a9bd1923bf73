-- What the user declared.

-- One row. Every change of the catalog adds one to generation; whoever caches the catalog compares it.
create table millrace_private.catalog_state (
  only_row boolean primary key default true check (only_row),
  generation bigint not null default 1
);
insert into millrace_private.catalog_state default values;

-- Locks that only we can take: empty tables, locked as a whole. An advisory lock is anybody's who may connect, and its number
-- can be guessed; of these, only who has rights on the table can take one. Who waits is served in turn.
--   lock_catalog     row share: a transaction that persists changes; exclusive: a change of the catalog, when it is published
--   lock_appliers    exclusive: a change of the catalog, from its beginning
--   lock_migrations  exclusive: whoever migrates (made in src/db/migrate.ts, before there is a schema)
-- Those of pull consumers are made with their storage: sql/schema/catalog/add_locks.sql.
create table millrace_private.lock_catalog ();
create table millrace_private.lock_appliers ();

create table millrace_private.databases (
  id uuid primary key default gen_random_uuid(),
  no integer generated always as identity unique,
  name text not null unique,
  settings jsonb not null,          -- DatabaseSettings
  address text not null,            -- DatabaseAddress, sealed with SECRET_KEY
  hostname text not null,           -- the two parts of the address that messages show
  database_name text not null,
  managed_by text not null default 'api' check (managed_by in ('api', 'file')), -- who may change it: a file, or nobody's
  released boolean not null default false, -- the file still names it, and has no say any more
  declared_from text,               -- where the file that named it last was applied from: start, cli, http
  private_ok boolean not null default true, -- written by whoever runs the machine, not over HTTP: may be in a private network
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table millrace_private.functions (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  settings jsonb not null,          -- FunctionSettings
  managed_by text not null default 'api' check (managed_by in ('api', 'file')), -- who may change it: a file, or nobody's
  released boolean not null default false, -- the file still names it, and has no say any more
  declared_from text,               -- where the file that named it last was applied from: start, cli, http
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Pull consumers, search indexes and change retentions: each is a sink. What is done for it is asked of its traits, which
-- are those of its kind (SinkTraits in src/model/sink.ts); nothing but the views asks for the kind.
create table millrace_private.sinks (
  id uuid primary key default gen_random_uuid(),
  no integer generated always as identity unique,
  name text not null unique,
  kind text not null,               -- a folder of src/sinks
  receivable boolean not null,      -- clients lease and acknowledge its messages; otherwise lanes deliver them
  replaces boolean not null,        -- only the newest state of a row counts
  ordering text not null check (ordering in ('group', 'key', 'commit')),
  takes_rows boolean not null,      -- rows that were read are sent to it, not changes alone
  readable boolean not null,        -- what it holds can be compared with the tables
  database_id uuid not null references millrace_private.databases (id),
  destination_database_id uuid references millrace_private.databases (id), -- the one that it writes a table of
  status text not null check (status in ('active', 'paused', 'disabled')),
  settings jsonb not null,          -- SinkSettings
  secret text,                      -- the destination's credential, sealed with SECRET_KEY
  lanes smallint not null,          -- delivery lanes; 0 for a pull consumer without functions
  metadata text not null default '',-- JSON members that are the same in every message of this sink
  managed_by text not null default 'api' check (managed_by in ('api', 'file')), -- who may change it: a file, or nobody's
  released boolean not null default false, -- the file still names it, and has no say any more
  declared_from text,               -- where the file that named it last was applied from: start, cli, http
  declared_status text,             -- that of the file, as last applied: the status is changed only where this one does
  status_by text not null default 'operator' check (status_by in ('file', 'operator')), -- who set the status last
  private_ok boolean not null default true, -- written by whoever runs the machine, not over HTTP: may be in a private network
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index sinks_database_id on millrace_private.sinks (database_id);

create table millrace_private.api_tokens (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  hash bytea not null unique,       -- sha256 of the token
  scopes text[] not null,
  weak boolean not null default false, -- can be guessed: good only where nobody but this machine reaches the port
  managed_by text not null default 'api' check (managed_by in ('api', 'file')), -- who may change it: a file, or nobody's
  declared_from text,               -- where the file that named it last was applied from: start, cli, http
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);

-- Warnings that stay until their cause is gone: a truncated table, old values that are not known, a table left out.
create table millrace_private.notices (
  sink_no integer not null references millrace_private.sinks (no) on delete cascade,
  code text not null,
  table_name text not null default '',
  message text not null,
  remedy text,
  created_at timestamptz not null default now(),
  primary key (sink_no, code, table_name)
);
