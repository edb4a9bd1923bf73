-- The message table: one row per change and sink. A row is never updated; it exists exactly as long as its message is
-- pending or parked, so that counting rows is the truth. The small tables beside it say who has what.

-- Where capture stands. The row is locked by every persisting transaction and almost never updated (an updated row would
-- pile up versions under somebody's open snapshot); the position itself is appended to position_log.
create table millrace_private.positions (
  database_no integer primary key references millrace_private.databases (no) on delete cascade,
  epoch integer not null default 1,           -- a new one when LSNs may have run backwards
  generation bigint not null default 0,       -- fences a stalled writer: every capture that starts adds one
  system_identifier text,
  timeline integer,
  database_oid bigint,
  slot_name text,
  publication_oid bigint,
  state text not null default 'starting',     -- starting | streaming | standby | error | needs_resync
  reason text,
  remedy text,
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
);

-- A source table under one of its names. A rename makes a new row; messages keep the name of their time.
create table millrace_private.source_tables (
  no integer generated always as identity primary key,
  database_no integer not null references millrace_private.databases (no) on delete cascade,
  oid bigint not null,
  schema_name text not null,
  table_name text not null,
  metadata text not null,                     -- JSON members: table_schema, table_name
  unique (database_no, oid, schema_name, table_name)
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
  primary key (sink_no, lane, seq)
);

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
);
create index leases_until on millrace_private.leases (sink_no, until) include (remaining);
create index leases_hi on millrace_private.leases (sink_no, hi);

-- Only messages that left the straight path. due_at is when something must happen to it: a lease that ends (leased), a
-- retry (retrying), its turn (waiting); null while it is parked or held behind an earlier one of its group.
create table millrace_private.exceptions (
  sink_no integer not null,
  id bigint not null,
  lane smallint not null,
  group_key bigint,
  state text not null check (state in ('leased', 'retrying', 'waiting', 'held', 'parked')),
  attempts integer not null,                  -- deliveries so far
  due_at timestamptz,
  token text,                                 -- of the last lease it was in
  stage text,                                 -- shape | send | settle | receive: where it failed
  error text,
  parked_at timestamptz,
  primary key (sink_no, id)
);
create index exceptions_due on millrace_private.exceptions (sink_no, lane, due_at) where due_at is not null;
create index exceptions_group on millrace_private.exceptions (sink_no, group_key, id);
create index exceptions_leased on millrace_private.exceptions (sink_no) where state = 'leased';

-- Settings of pull consumers that receive needs. The row is locked by every receive and updated only by the catalog.
create table millrace_private.consumers (
  sink_no integer primary key references millrace_private.sinks (no) on delete cascade,
  active boolean not null,
  visibility_timeout interval not null,
  max_ack_pending integer not null,
  max_deliver integer,
  max_per_group integer not null
);

-- Who delivers a lane of a push sink (or shapes a pull consumer's messages): one owner at a time, by the database's clock.
create table millrace_private.lanes (
  sink_no integer not null references millrace_private.sinks (no) on delete cascade,
  lane smallint not null,
  owner text,
  until timestamptz,
  primary key (sink_no, lane)
);

-- A sink to which nothing can be delivered until somebody acts. Absent: closed, all is well.
create table millrace_private.circuits (
  sink_no integer primary key references millrace_private.sinks (no) on delete cascade,
  reason text not null,
  error text not null,
  opened_at timestamptz not null default now(),
  probe_at timestamptz not null
);

alter table millrace_private.cursor_log set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
alter table millrace_private.position_log set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
alter table millrace_private.leases set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
alter table millrace_private.exceptions set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
alter table millrace_private.lanes set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

-- Storage of one sink: its partition, its indexes, its lanes. Created standalone and then attached: attaching takes no
-- lock that an open reader could turn into a stall of capture. Does nothing for a sink that has it.
create function millrace_private.add_sink_storage(p_sink_no integer) returns void language plpgsql as $$
declare
  v_sink millrace_private.sinks;
  v_table text := format('messages_%s', p_sink_no);
  v_destination jsonb;
begin
  select * into strict v_sink from millrace_private.sinks s where s.no = p_sink_no;
  v_destination := v_sink.settings -> 'destination';
  if to_regclass('millrace_private.' || v_table) is null then
    execute format('create table millrace_private.%I (like millrace_private.messages including all,
                      constraint %I check (sink_no = %s))', v_table, v_table || '_sink', p_sink_no);
    execute format('create unique index %I on millrace_private.%I (lane, id)', v_table || '_id', v_table);
    if v_sink.kind = 'pull' then
      execute format('create index %I on millrace_private.%I (group_key, id) where group_key is not null',
                     v_table || '_group', v_table);
      execute format('create index %I on millrace_private.%I (group_key2, id) where group_key2 is not null',
                     v_table || '_group2', v_table);
    end if;
    execute format('alter table millrace_private.%I set (autovacuum_vacuum_scale_factor = 0.05,
                      autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_scale_factor = 0.5)', v_table);
    execute format('alter table millrace_private.messages attach partition millrace_private.%I for values in (%s)',
                   v_table, p_sink_no);
    execute format('alter table millrace_private.%I drop constraint %I', v_table, v_table || '_sink');
  end if;
  if v_sink.kind = 'pull' then
    insert into millrace_private.consumers as c
           (sink_no, active, visibility_timeout, max_ack_pending, max_deliver, max_per_group)
    values (p_sink_no, v_sink.status = 'active',
            (v_destination ->> 'visibility_timeout_ms')::double precision * interval '1 millisecond',
            (v_destination ->> 'max_ack_pending')::integer,
            (v_sink.settings ->> 'max_retry_count')::integer + 1,
            (v_destination ->> 'max_per_group')::integer)
    on conflict (sink_no) do update
       set active = excluded.active, visibility_timeout = excluded.visibility_timeout,
           max_ack_pending = excluded.max_ack_pending, max_deliver = excluded.max_deliver,
           max_per_group = excluded.max_per_group
     where (c.active, c.visibility_timeout, c.max_ack_pending, c.max_deliver, c.max_per_group) is distinct from
           (excluded.active, excluded.visibility_timeout, excluded.max_ack_pending, excluded.max_deliver,
            excluded.max_per_group);
  end if;
  -- Push sinks have lanes 0 .. lanes - 1; the shaping lane of a pull consumer is lane 1.
  insert into millrace_private.lanes (sink_no, lane)
  select p_sink_no, n from generate_series(0, v_sink.lanes - 1) n where v_sink.kind <> 'pull'
  union all
  select p_sink_no, 1 where v_sink.kind = 'pull' and v_sink.lanes > 0
  on conflict do nothing;
end
$$;

-- Moves a database's position; called first in the transaction that copies messages in. Raises MR001 when the catalog
-- has changed since the caller matched, MR002 when another capture has taken over (the caller must stop).
create procedure millrace_private.move_position(
  p_database_no integer, p_generation bigint, p_catalog bigint, p_commit_lsn pg_lsn, p_commit_idx bigint,
  p_confirmed_lsn pg_lsn, p_next_id bigint) language plpgsql as $$
declare
  v_epoch integer;
  v_seq bigint;
begin
  perform pg_advisory_xact_lock_shared(millrace_private.catalog_lock());
  if (select c.generation from millrace_private.catalog_state c) <> p_catalog then
    raise exception 'the catalog has changed' using errcode = 'MR001';
  end if;
  select p.epoch into v_epoch from millrace_private.positions p
   where p.database_no = p_database_no and p.generation = p_generation for no key update;
  if not found then
    raise exception 'another capture has taken over this database' using errcode = 'MR002';
  end if;
  select coalesce((select l.seq from millrace_private.position_log l where l.database_no = p_database_no
                    order by l.seq desc limit 1), 0) + 1 into v_seq;
  insert into millrace_private.position_log (database_no, seq, epoch, commit_lsn, commit_idx, confirmed_lsn, next_id)
  values (p_database_no, v_seq, v_epoch, p_commit_lsn, p_commit_idx, p_confirmed_lsn, p_next_id);
  if v_seq % 64 = 0 then
    delete from millrace_private.position_log l
     where l.database_no = p_database_no and l.seq < v_seq and l.seq >= v_seq - 128;
  end if;
end
$$;
