-- What the user declared. Schema millrace is the public contract (views and functions); millrace_private may change
-- with any release. Neither is ever captured or published.
create schema if not exists millrace;
create schema if not exists millrace_private;
comment on schema millrace is 'Millrace: views and functions for people and programs. A public contract.';
comment on schema millrace_private is 'Millrace: tables behind schema millrace. They may change with any release.';

-- One row. Every change of the catalog adds one to generation; whoever caches the catalog compares it.
create table millrace_private.catalog_state (
  only_row boolean primary key default true check (only_row),
  generation bigint not null default 1
);
insert into millrace_private.catalog_state default values;

create table millrace_private.databases (
  id uuid primary key default gen_random_uuid(),
  no integer generated always as identity unique,
  name text not null unique,
  settings jsonb not null,          -- DatabaseSettings
  address text not null,            -- DatabaseAddress, sealed with SECRET_KEY
  hostname text not null,           -- the two parts of the address that messages show
  database_name text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table millrace_private.functions (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  settings jsonb not null,          -- FunctionSettings
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Pull consumers, search indexes and change retentions: each is a sink, told apart by kind.
create table millrace_private.sinks (
  id uuid primary key default gen_random_uuid(),
  no integer generated always as identity unique,
  name text not null unique,
  kind text not null check (kind in ('pull', 'search_index', 'change_table')),
  database_id uuid not null references millrace_private.databases (id),
  status text not null check (status in ('active', 'paused', 'disabled')),
  settings jsonb not null,          -- SinkSettings
  secret text,                      -- the destination's credential, sealed with SECRET_KEY
  lanes smallint not null,          -- delivery lanes; 0 for a pull consumer without functions
  metadata text not null default '',-- JSON members that are the same in every message of this sink
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index sinks_database_id on millrace_private.sinks (database_id);

create table millrace_private.api_tokens (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  hash bytea not null unique,       -- sha256 of the token
  scopes text[] not null,
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

-- Writes the constant members of every sink's messages. Called at the end of each change of the catalog.
create function millrace_private.refresh_metadata() returns void language sql as $$
  update millrace_private.sinks s
     set metadata = fresh.metadata
    from (select i.no,
                 '"database_name":' || to_json(d.name)::text
                 || ',"consumer":' || json_build_object('id', i.id, 'name', i.name,
                                       'annotations', coalesce(i.settings -> 'annotations', '{}'::jsonb))::text
                 || ',"database":' || json_build_object('id', d.id, 'name', d.name,
                                       'annotations', coalesce(d.settings -> 'annotations', '{}'::jsonb),
                                       'database', d.database_name, 'hostname', d.hostname)::text as metadata
            from millrace_private.sinks i
            join millrace_private.databases d on d.id = i.database_id) fresh
   where fresh.no = s.no and s.metadata is distinct from fresh.metadata
$$;

-- The key of the advisory lock that orders changes of the catalog against transactions that persist changes.
create function millrace_private.catalog_lock() returns bigint immutable language sql as $$ select 7376000000000001 $$;

-- The last statement of every change of the catalog: waits for captures that persist right now, and makes the next ones
-- match again. A change persisted after this commits is matched with the new catalog.
create function millrace_private.publish_catalog() returns bigint language plpgsql as $$
declare
  v_generation bigint;
begin
  perform pg_advisory_xact_lock(millrace_private.catalog_lock());
  perform millrace_private.refresh_metadata();
  update millrace_private.catalog_state set generation = generation + 1 returning generation into v_generation;
  perform pg_notify('millrace_catalog', v_generation::text);
  return v_generation;
end
$$;
