schema millrace
comment 'Millrace: views and functions for people and programs. A public contract.'
grant usage to millrace_reader

schema millrace_private
comment 'Millrace: tables behind schema millrace. They may change with any release.'
grant usage to millrace_reader

table millrace_private.api_tokens
  id uuid not null default gen_random_uuid()
  name text not null
  hash bytea not null
  scopes text[] not null
  weak boolean not null default false
  managed_by text not null default 'api'::text
  declared_from text
  created_at timestamp with time zone not null default now()
  revoked_at timestamp with time zone
  prefix text
  expires_at timestamp with time zone
  last_used_at timestamp with time zone
  created_by text
CREATE TRIGGER tell_of_tokens AFTER INSERT OR DELETE OR UPDATE OF name, hash, scopes, weak, expires_at, revoked_at OR TRUNCATE ON millrace_private.api_tokens FOR EACH STATEMENT EXECUTE FUNCTION millrace_private.tell_of_tokens()
CREATE UNIQUE INDEX api_tokens_hash_key ON millrace_private.api_tokens USING btree (hash)
CREATE UNIQUE INDEX api_tokens_name_key ON millrace_private.api_tokens USING btree (name)
CREATE UNIQUE INDEX api_tokens_pkey ON millrace_private.api_tokens USING btree (id)
constraint api_tokens_hash_key UNIQUE (hash)
constraint api_tokens_managed_by_check CHECK ((managed_by = ANY (ARRAY['api'::text, 'file'::text])))
constraint api_tokens_name_key UNIQUE (name)
constraint api_tokens_pkey PRIMARY KEY (id)

table millrace_private.attempts
  sink_no integer not null
  id bigint not null
  seq bigint not null identity a
  attempt integer not null
  at timestamp with time zone not null default clock_timestamp()
  stage text not null
  took_ms bigint
  status integer
  type text
  text text not null
with autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000
CREATE INDEX attempts_newest ON millrace_private.attempts USING btree (sink_no, seq)
CREATE UNIQUE INDEX attempts_pkey ON millrace_private.attempts USING btree (sink_no, id, seq)
constraint attempts_pkey PRIMARY KEY (sink_no, id, seq)

table millrace_private.audit_log
  id bigint not null identity a
  at timestamp with time zone not null default clock_timestamp()
  actor text not null
  action text not null
  subject text not null
  before jsonb
  after jsonb
  request_id text
CREATE INDEX audit_log_at ON millrace_private.audit_log USING btree (at)
CREATE TRIGGER guard_audit BEFORE DELETE OR UPDATE ON millrace_private.audit_log FOR EACH ROW EXECUTE FUNCTION millrace_private.guard_audit()
CREATE TRIGGER guard_audit_whole BEFORE TRUNCATE ON millrace_private.audit_log FOR EACH STATEMENT EXECUTE FUNCTION millrace_private.guard_audit()
CREATE UNIQUE INDEX audit_log_pkey ON millrace_private.audit_log USING btree (id)
constraint audit_log_pkey PRIMARY KEY (id)

table millrace_private.backfills
  id uuid not null default gen_random_uuid()
  no integer not null identity a
  sink_no integer not null
  kind text not null
  table_schema text
  table_name text
  sort_column text
  start_position text
  keys jsonb
  replay jsonb
  resync boolean not null default false
  state text not null default 'waiting'::text
  reason text
  remedy text
  "position" jsonb
  rows_done bigint not null default 0
  rows_sent bigint not null default 0
  rows_total bigint
  running_seconds double precision not null default 0
  created_at timestamp with time zone not null default clock_timestamp()
  started_at timestamp with time zone
  moved_at timestamp with time zone
  ended_at timestamp with time zone
with fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500
CREATE INDEX backfills_active ON millrace_private.backfills USING btree (sink_no) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text, 'paused'::text]))
CREATE UNIQUE INDEX backfills_no_key ON millrace_private.backfills USING btree (no)
CREATE UNIQUE INDEX backfills_one ON millrace_private.backfills USING btree (sink_no, table_schema, table_name) WHERE ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'paused'::text])) AND (kind = 'table'::text))
CREATE UNIQUE INDEX backfills_one_of_all ON millrace_private.backfills USING btree (sink_no) WHERE ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'paused'::text])) AND (kind = 'all'::text))
CREATE UNIQUE INDEX backfills_one_replay ON millrace_private.backfills USING btree (sink_no, ((replay ->> 'retention_id'::text))) WHERE ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'paused'::text])) AND (kind = 'replay'::text) AND (NOT (replay ? 'after'::text)))
CREATE UNIQUE INDEX backfills_pkey ON millrace_private.backfills USING btree (id)
constraint backfills_kind_check CHECK ((kind = ANY (ARRAY['all'::text, 'table'::text, 'keys'::text, 'replay'::text])))
constraint backfills_no_key UNIQUE (no)
constraint backfills_pkey PRIMARY KEY (id)
constraint backfills_sink_no_fkey FOREIGN KEY (sink_no) REFERENCES millrace_private.sinks(no) ON DELETE CASCADE
constraint backfills_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'paused'::text, 'done'::text, 'cancelled'::text, 'failed'::text])))

table millrace_private.capture_beats
  database_no integer not null
  seq bigint not null
  at timestamp with time zone not null
  generation bigint
  next_id bigint not null
  lag_ms double precision
with autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500
CREATE UNIQUE INDEX capture_beats_pkey ON millrace_private.capture_beats USING btree (database_no, seq)
constraint capture_beats_database_no_fkey FOREIGN KEY (database_no) REFERENCES millrace_private.databases(no) ON DELETE CASCADE
constraint capture_beats_pkey PRIMARY KEY (database_no, seq)

table millrace_private.capture_plans
  database_no integer not null
  no bigint not null
  epoch integer not null
  from_snapshot text not null
  to_snapshot text not null
  first_lsn pg_lsn not null
with autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500
CREATE UNIQUE INDEX capture_plans_pkey ON millrace_private.capture_plans USING btree (database_no, no)
constraint capture_plans_database_no_fkey FOREIGN KEY (database_no) REFERENCES millrace_private.positions(database_no) ON DELETE CASCADE
constraint capture_plans_pkey PRIMARY KEY (database_no, no)

table millrace_private.capture_switches
  database_no integer not null
  epoch integer not null
  way text not null
  snapshot text not null
  until_lsn pg_lsn not null
  base_lsn pg_lsn not null
  changes_oid bigint
  wal_lsn pg_lsn
  told_lsn pg_lsn
CREATE UNIQUE INDEX capture_switches_pkey ON millrace_private.capture_switches USING btree (database_no)
constraint capture_switches_database_no_fkey FOREIGN KEY (database_no) REFERENCES millrace_private.positions(database_no) ON DELETE CASCADE
constraint capture_switches_pkey PRIMARY KEY (database_no)
constraint capture_switches_way_check CHECK ((way = ANY (ARRAY['replication'::text, 'triggers'::text])))

table millrace_private.catalog_state
  only_row boolean not null default true
  generation bigint not null default 1
CREATE UNIQUE INDEX catalog_state_pkey ON millrace_private.catalog_state USING btree (only_row)
constraint catalog_state_only_row_check CHECK (only_row)
constraint catalog_state_pkey PRIMARY KEY (only_row)

table millrace_private.circuits
  sink_no integer not null
  reason text not null
  error text not null
  opened_at timestamp with time zone not null default now()
  probe_at timestamp with time zone not null
CREATE UNIQUE INDEX circuits_pkey ON millrace_private.circuits USING btree (sink_no)
constraint circuits_pkey PRIMARY KEY (sink_no)
constraint circuits_sink_no_fkey FOREIGN KEY (sink_no) REFERENCES millrace_private.sinks(no) ON DELETE CASCADE

table millrace_private.consumers
  sink_no integer not null
  active boolean not null
  visibility_timeout interval not null
  max_ack_pending integer not null
  max_deliver integer
  max_per_group integer not null
CREATE UNIQUE INDEX consumers_pkey ON millrace_private.consumers USING btree (sink_no)
constraint consumers_pkey PRIMARY KEY (sink_no)
constraint consumers_sink_no_fkey FOREIGN KEY (sink_no) REFERENCES millrace_private.sinks(no) ON DELETE CASCADE

table millrace_private.cursor_log
  sink_no integer not null
  lane smallint not null
  seq bigint not null
  id bigint not null
  in_flight integer not null default 0
  swept_at timestamp with time zone not null default '-infinity'::timestamp with time zone
  at timestamp with time zone default clock_timestamp()
with autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500
CREATE UNIQUE INDEX cursor_log_pkey ON millrace_private.cursor_log USING btree (sink_no, lane, seq)
constraint cursor_log_pkey PRIMARY KEY (sink_no, lane, seq)

table millrace_private.database_counters
  database_no integer not null
  step text not null
  at timestamp with time zone not null
  lag_bytes bigint not null
  kept_bytes bigint
  limit_bytes bigint
  commits bigint not null default 0
with fillfactor=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500
CREATE INDEX database_counters_at ON millrace_private.database_counters USING btree (step, at)
CREATE UNIQUE INDEX database_counters_pkey ON millrace_private.database_counters USING btree (database_no, step, at)
constraint database_counters_database_no_fkey FOREIGN KEY (database_no) REFERENCES millrace_private.databases(no) ON DELETE CASCADE
constraint database_counters_pkey PRIMARY KEY (database_no, step, at)
constraint database_counters_step_check CHECK ((step = ANY (ARRAY['minute'::text, 'hour'::text])))

table millrace_private.databases
  id uuid not null default gen_random_uuid()
  no integer not null identity a
  name text not null
  settings jsonb not null
  address text not null
  hostname text not null
  database_name text not null
  managed_by text not null default 'api'::text
  released boolean not null default false
  declared_from text
  private_ok boolean not null default true
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  version integer not null default 1
  updated_by text
  entry_name text
CREATE TRIGGER count_version BEFORE INSERT OR UPDATE OF name, updated_at, managed_by ON millrace_private.databases FOR EACH ROW EXECUTE FUNCTION millrace_private.count_version()
CREATE UNIQUE INDEX databases_name_key ON millrace_private.databases USING btree (name)
CREATE UNIQUE INDEX databases_no_key ON millrace_private.databases USING btree (no)
CREATE UNIQUE INDEX databases_pkey ON millrace_private.databases USING btree (id)
constraint databases_managed_by_check CHECK ((managed_by = ANY (ARRAY['api'::text, 'file'::text])))
constraint databases_name_key UNIQUE (name)
constraint databases_no_key UNIQUE (no)
constraint databases_pkey PRIMARY KEY (id)

table millrace_private.delivery_states
  sink_no integer not null
  id bigint not null
  lane smallint not null
  group_key bigint
  state text not null
  attempts integer not null
  due_at timestamp with time zone
  token text
  stage text
  error text
  parked_at timestamp with time zone
  source_table integer
  action "char"
  record_pks text
  committed_at timestamp with time zone
with autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000
CREATE INDEX delivery_states_due ON millrace_private.delivery_states USING btree (sink_no, lane, due_at) WHERE (due_at IS NOT NULL)
CREATE INDEX delivery_states_group ON millrace_private.delivery_states USING btree (sink_no, group_key, id)
CREATE INDEX delivery_states_held ON millrace_private.delivery_states USING btree (sink_no) WHERE ((due_at IS NULL) AND (state <> 'parked'::text))
CREATE INDEX delivery_states_index ON millrace_private.delivery_states USING btree (sink_no) WHERE ((state = 'retrying'::text) AND (stage = 'index'::text))
CREATE INDEX delivery_states_leased ON millrace_private.delivery_states USING btree (sink_no) WHERE (state = 'leased'::text)
CREATE INDEX delivery_states_parked_at ON millrace_private.delivery_states USING btree (sink_no, stage, parked_at) WHERE (state = 'parked'::text)
CREATE INDEX delivery_states_undecided ON millrace_private.delivery_states USING btree (sink_no, (
CASE
    WHEN (state <> 'parked'::text) THEN group_key
    ELSE NULL::bigint
END), id) WHERE (
CASE
    WHEN (state <> 'parked'::text) THEN group_key
    ELSE NULL::bigint
END IS NOT NULL)
CREATE UNIQUE INDEX delivery_states_pkey ON millrace_private.delivery_states USING btree (sink_no, id)
constraint delivery_states_pkey PRIMARY KEY (sink_no, id)
constraint delivery_states_state_check CHECK ((state = ANY (ARRAY['leased'::text, 'retrying'::text, 'waiting'::text, 'held'::text, 'parked'::text])))

table millrace_private.functions
  id uuid not null default gen_random_uuid()
  name text not null
  settings jsonb not null
  managed_by text not null default 'api'::text
  released boolean not null default false
  declared_from text
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  version integer not null default 1
  updated_by text
  entry_name text
CREATE TRIGGER count_version BEFORE INSERT OR UPDATE OF name, updated_at, managed_by ON millrace_private.functions FOR EACH ROW EXECUTE FUNCTION millrace_private.count_version()
CREATE UNIQUE INDEX functions_name_key ON millrace_private.functions USING btree (name)
CREATE UNIQUE INDEX functions_pkey ON millrace_private.functions USING btree (id)
constraint functions_managed_by_check CHECK ((managed_by = ANY (ARRAY['api'::text, 'file'::text])))
constraint functions_name_key UNIQUE (name)
constraint functions_pkey PRIMARY KEY (id)

table millrace_private.group_locks
  sink_no integer not null
  bucket smallint not null
CREATE UNIQUE INDEX group_locks_pkey ON millrace_private.group_locks USING btree (sink_no, bucket)
constraint group_locks_pkey PRIMARY KEY (sink_no, bucket)

table millrace_private.installation
  only_row boolean not null default true
  letters text not null default translate(substr(replace((gen_random_uuid())::text, '-'::text, ''::text), 1, 4), '0123456789'::text, 'ghijklmnop'::text)
  setup_hash bytea
  setup_expires_at timestamp with time zone
  mark uuid not null default gen_random_uuid()
CREATE UNIQUE INDEX installation_pkey ON millrace_private.installation USING btree (only_row)
constraint installation_only_row_check CHECK (only_row)
constraint installation_pkey PRIMARY KEY (only_row)

table millrace_private.lanes
  sink_no integer not null
  lane smallint not null
  owner text
  until timestamp with time zone
  session bigint
  deaths smallint not null default 0
  alone bigint
  alone_deaths smallint not null default 0
  waiting_since timestamp with time zone
  alone_begun boolean
with autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=200
CREATE UNIQUE INDEX lanes_pkey ON millrace_private.lanes USING btree (sink_no, lane)
constraint lanes_pkey PRIMARY KEY (sink_no, lane)
constraint lanes_sink_no_fkey FOREIGN KEY (sink_no) REFERENCES millrace_private.sinks(no) ON DELETE CASCADE

table millrace_private.leases
  sink_no integer not null
  token text not null
  lo bigint not null
  hi bigint not null
  until timestamp with time zone not null
  size integer not null
  remaining integer not null
  dense boolean not null
  ids bigint[]
  digest bigint not null
with autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500
CREATE INDEX leases_hi ON millrace_private.leases USING btree (sink_no, hi)
CREATE INDEX leases_until ON millrace_private.leases USING btree (sink_no, until) INCLUDE (remaining)
CREATE UNIQUE INDEX leases_pkey ON millrace_private.leases USING btree (sink_no, token)
constraint leases_pkey PRIMARY KEY (sink_no, token)

table millrace_private.lock_appliers

table millrace_private.lock_catalog

table millrace_private.lock_migrations

table millrace_private.login_failures
  id bigint not null identity a
  at timestamp with time zone not null default clock_timestamp()
  account bytea not null
  address text not null
CREATE INDEX login_failures_account ON millrace_private.login_failures USING btree (account, at)
CREATE INDEX login_failures_address ON millrace_private.login_failures USING btree (address, at)
CREATE UNIQUE INDEX login_failures_pkey ON millrace_private.login_failures USING btree (id)
constraint login_failures_pkey PRIMARY KEY (id)

table millrace_private.messages
  sink_no integer not null
  lane smallint not null
  id bigint not null
  group_key bigint
  group_key2 bigint
  source_table integer not null
  action text not null
  record_pks text not null
  commit_lsn bigint not null
  commit_idx bigint not null
  committed_at timestamp with time zone not null
  record text not null
  changes text
  annotations text
  unchanged_toast text
  payload text
partition by LIST (sink_no)

table millrace_private.migrations
  id integer not null default nextval('millrace_private.migrations_id_seq'::regclass)
  name character varying(255) not null
  run_on timestamp without time zone not null
CREATE UNIQUE INDEX migrations_pkey ON millrace_private.migrations USING btree (id)
constraint migrations_pkey PRIMARY KEY (id)

table millrace_private.notices
  sink_no integer not null
  code text not null
  table_name text not null default ''::text
  message text not null
  remedy text
  created_at timestamp with time zone not null default now()
CREATE UNIQUE INDEX notices_pkey ON millrace_private.notices USING btree (sink_no, code, table_name)
constraint notices_pkey PRIMARY KEY (sink_no, code, table_name)
constraint notices_sink_no_fkey FOREIGN KEY (sink_no) REFERENCES millrace_private.sinks(no) ON DELETE CASCADE

table millrace_private.operation_findings
  operation_id uuid not null
  no integer not null
  finding jsonb not null
CREATE UNIQUE INDEX operation_findings_pkey ON millrace_private.operation_findings USING btree (operation_id, no)
constraint operation_findings_operation_id_fkey FOREIGN KEY (operation_id) REFERENCES millrace_private.operations(id) ON DELETE CASCADE
constraint operation_findings_pkey PRIMARY KEY (operation_id, no)

table millrace_private.operations
  id uuid not null default gen_random_uuid()
  kind text not null
  sink_no integer
  database_no integer not null
  parent_id uuid
  request jsonb not null
  requested_by text not null
  state text not null default 'waiting'::text
  phase text
  progress jsonb
  lines text[] not null default '{}'::text[]
  steps jsonb not null default '[]'::jsonb
  kept jsonb
  result jsonb
  reason text
  remedy text
  attempt integer not null default 0
  owner text
  token uuid
  until timestamp with time zone
  created_at timestamp with time zone not null default clock_timestamp()
  started_at timestamp with time zone
  moved_at timestamp with time zone
  ended_at timestamp with time zone
  session bigint
with fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500
CREATE INDEX operations_ended ON millrace_private.operations USING btree (ended_at) WHERE (ended_at IS NOT NULL)
CREATE INDEX operations_open ON millrace_private.operations USING btree (created_at) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text, 'paused'::text]))
CREATE INDEX operations_parent ON millrace_private.operations USING btree (parent_id) WHERE (parent_id IS NOT NULL)
CREATE UNIQUE INDEX operations_one_of_database ON millrace_private.operations USING btree (database_no, kind) WHERE ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'paused'::text])) AND (sink_no IS NULL))
CREATE UNIQUE INDEX operations_one_of_sink ON millrace_private.operations USING btree (sink_no, kind) WHERE ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'paused'::text])) AND (sink_no IS NOT NULL))
CREATE UNIQUE INDEX operations_pkey ON millrace_private.operations USING btree (id)
constraint operations_database_no_fkey FOREIGN KEY (database_no) REFERENCES millrace_private.databases(no) ON DELETE CASCADE
constraint operations_kind_check CHECK ((kind = ANY (ARRAY['verify'::text, 'rebuild'::text, 'resync'::text, 'retry'::text, 'discard'::text])))
constraint operations_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES millrace_private.operations(id) ON DELETE CASCADE
constraint operations_pkey PRIMARY KEY (id)
constraint operations_sink_no_fkey FOREIGN KEY (sink_no) REFERENCES millrace_private.sinks(no) ON DELETE CASCADE
constraint operations_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'paused'::text, 'done'::text, 'cancelled'::text, 'failed'::text])))

table millrace_private.partitions
  database_no integer not null
  root bigint not null
  oid bigint not null
  name text not null
  file bigint not null
  links text
  beside text
CREATE UNIQUE INDEX partitions_pkey ON millrace_private.partitions USING btree (database_no, root, oid)
constraint partitions_database_no_fkey FOREIGN KEY (database_no) REFERENCES millrace_private.positions(database_no) ON DELETE CASCADE
constraint partitions_pkey PRIMARY KEY (database_no, root, oid)

table millrace_private.position_log
  database_no integer not null
  seq bigint not null
  epoch integer not null
  commit_lsn pg_lsn not null
  commit_idx bigint not null
  confirmed_lsn pg_lsn not null
  next_id bigint not null
with autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500
CREATE UNIQUE INDEX position_log_pkey ON millrace_private.position_log USING btree (database_no, seq)
constraint position_log_database_no_fkey FOREIGN KEY (database_no) REFERENCES millrace_private.positions(database_no) ON DELETE CASCADE
constraint position_log_pkey PRIMARY KEY (database_no, seq)

table millrace_private.positions
  database_no integer not null
  epoch integer not null default 1
  generation bigint not null default 0
  system_identifier text
  left_system text
  timeline integer
  database_oid bigint
  slot_name text
  former_slots text[] not null default '{}'::text[]
  publication_oid bigint
  state text not null default 'starting'::text
  reason text
  remedy text
  warnings text[] not null default '{}'::text[]
  state_since timestamp with time zone not null default now()
CREATE UNIQUE INDEX positions_pkey ON millrace_private.positions USING btree (database_no)
constraint positions_database_no_fkey FOREIGN KEY (database_no) REFERENCES millrace_private.databases(no) ON DELETE CASCADE
constraint positions_pkey PRIMARY KEY (database_no)

table millrace_private.previews
  sink_no integer not null
  until timestamp with time zone not null
  seconds integer not null
CREATE UNIQUE INDEX previews_pkey ON millrace_private.previews USING btree (sink_no)
constraint previews_pkey PRIMARY KEY (sink_no)
constraint previews_sink_no_fkey FOREIGN KEY (sink_no) REFERENCES millrace_private.sinks(no) ON DELETE CASCADE

table millrace_private.processes
  id uuid not null
  role text not null
  host text not null
  pid integer not null
  version text not null
  key_id text not null
  started_at timestamp with time zone not null default clock_timestamp()
  seen_at timestamp with time zone not null default clock_timestamp()
  waiting jsonb
with fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500
CREATE UNIQUE INDEX processes_pkey ON millrace_private.processes USING btree (id)
constraint processes_pkey PRIMARY KEY (id)

table millrace_private.published_tables
  database_no integer not null
  oid bigint not null
  published_as text
  schema_name text
  table_name text
  came_as jsonb
CREATE UNIQUE INDEX published_tables_pkey ON millrace_private.published_tables USING btree (database_no, oid)
constraint published_tables_database_no_fkey FOREIGN KEY (database_no) REFERENCES millrace_private.positions(database_no) ON DELETE CASCADE
constraint published_tables_pkey PRIMARY KEY (database_no, oid)

table millrace_private.readers
  sink_no integer not null
  token text not null
  received_at timestamp with time zone
  acked_at timestamp with time zone
  address text not null
with fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500
CREATE UNIQUE INDEX readers_pkey ON millrace_private.readers USING btree (sink_no, token)
constraint readers_pkey PRIMARY KEY (sink_no, token)
constraint readers_sink_no_fkey FOREIGN KEY (sink_no) REFERENCES millrace_private.sinks(no) ON DELETE CASCADE

table millrace_private.recent_messages
  sink_no integer not null
  seq bigint not null identity a
  id bigint not null
  at timestamp with time zone not null default clock_timestamp()
  action text not null
  source_table integer not null
  record_pks text not null
  committed_at timestamp with time zone not null
  size integer not null
  message text
  shape_ms bigint
  kept boolean
  sent_at timestamp with time zone
  send_ms bigint
  sent text
  outcome text not null
  stage text
  status integer
  type text
  text text
  settle_ms bigint
CREATE UNIQUE INDEX recent_messages_pkey ON millrace_private.recent_messages USING btree (sink_no, seq)
constraint recent_messages_pkey PRIMARY KEY (sink_no, seq)
constraint recent_messages_sink_no_fkey FOREIGN KEY (sink_no) REFERENCES millrace_private.sinks(no) ON DELETE CASCADE

table millrace_private.retention_runs
  sink_no integer not null
  ran_at timestamp with time zone not null
  deleted bigint not null
  error text
  next_at timestamp with time zone
CREATE UNIQUE INDEX retention_runs_pkey ON millrace_private.retention_runs USING btree (sink_no)
constraint retention_runs_pkey PRIMARY KEY (sink_no)
constraint retention_runs_sink_no_fkey FOREIGN KEY (sink_no) REFERENCES millrace_private.sinks(no) ON DELETE CASCADE

table millrace_private.schema_files
  path text not null
  sha256 text not null
  applied_at timestamp with time zone not null default clock_timestamp()
CREATE UNIQUE INDEX schema_files_pkey ON millrace_private.schema_files USING btree (path)
constraint schema_files_pkey PRIMARY KEY (path)

table millrace_private.schema_state
  only_row boolean not null default true
  version integer not null
  serves integer not null
CREATE UNIQUE INDEX schema_state_pkey ON millrace_private.schema_state USING btree (only_row)
constraint schema_state_only_row_check CHECK (only_row)
constraint schema_state_pkey PRIMARY KEY (only_row)

table millrace_private.sessions
  id uuid not null default gen_random_uuid()
  user_id uuid not null
  hash bytea not null
  created_at timestamp with time zone not null default clock_timestamp()
  seen_at timestamp with time zone not null default clock_timestamp()
  expires_at timestamp with time zone not null
  address text
  user_agent text
CREATE INDEX sessions_user_id ON millrace_private.sessions USING btree (user_id)
CREATE TRIGGER tell_of_sessions AFTER DELETE OR UPDATE OF hash, expires_at OR TRUNCATE ON millrace_private.sessions FOR EACH STATEMENT EXECUTE FUNCTION millrace_private.tell_of_tokens()
CREATE UNIQUE INDEX sessions_hash_key ON millrace_private.sessions USING btree (hash)
CREATE UNIQUE INDEX sessions_pkey ON millrace_private.sessions USING btree (id)
constraint sessions_hash_key UNIQUE (hash)
constraint sessions_pkey PRIMARY KEY (id)
constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES millrace_private.users(id) ON DELETE CASCADE

table millrace_private.sink_counters
  sink_no integer not null
  step text not null
  at timestamp with time zone not null
  persisted bigint not null default 0
  delivered bigint not null default 0
  failed bigint not null default 0
  retried bigint not null default 0
  parked bigint not null default 0
  discarded bigint not null default 0
  bytes bigint not null default 0
  latency bigint[] not null
with fillfactor=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_threshold=500
CREATE INDEX sink_counters_at ON millrace_private.sink_counters USING btree (step, at)
CREATE UNIQUE INDEX sink_counters_pkey ON millrace_private.sink_counters USING btree (sink_no, step, at)
constraint sink_counters_pkey PRIMARY KEY (sink_no, step, at)
constraint sink_counters_sink_no_fkey FOREIGN KEY (sink_no) REFERENCES millrace_private.sinks(no) ON DELETE CASCADE
constraint sink_counters_step_check CHECK ((step = ANY (ARRAY['minute'::text, 'hour'::text])))

table millrace_private.sink_totals
  sink_no integer not null
  persisted bigint not null default 0
  delivered bigint not null default 0
  failed bigint not null default 0
  retried bigint not null default 0
  parked bigint not null default 0
  discarded bigint not null default 0
  bytes bigint not null default 0
  latency bigint[] not null
  latency_ms double precision not null default 0
  first_delivered_at timestamp with time zone
  last_delivered_at timestamp with time zone
  last_delivery_ms double precision
with fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500
CREATE UNIQUE INDEX sink_totals_pkey ON millrace_private.sink_totals USING btree (sink_no)
constraint sink_totals_pkey PRIMARY KEY (sink_no)
constraint sink_totals_sink_no_fkey FOREIGN KEY (sink_no) REFERENCES millrace_private.sinks(no) ON DELETE CASCADE

table millrace_private.sinks
  id uuid not null default gen_random_uuid()
  no integer not null identity a
  name text not null
  kind text not null
  receivable boolean not null
  replaces boolean not null
  ordering text not null
  takes_rows boolean not null
  readable boolean not null
  database_id uuid not null
  destination_database_id uuid
  status text not null
  settings jsonb not null
  secret text
  lanes smallint not null
  metadata text not null default ''::text
  managed_by text not null default 'api'::text
  released boolean not null default false
  declared_from text
  declared_status text
  status_by text not null default 'operator'::text
  private_ok boolean not null default true
  created_at timestamp with time zone not null default now()
  updated_at timestamp with time zone not null default now()
  version integer not null default 1
  updated_by text
  entry_name text
  status_reason text
CREATE INDEX sinks_database_id ON millrace_private.sinks USING btree (database_id)
CREATE TRIGGER count_version BEFORE INSERT OR UPDATE OF name, updated_at, managed_by ON millrace_private.sinks FOR EACH ROW EXECUTE FUNCTION millrace_private.count_version()
CREATE UNIQUE INDEX sinks_name_key ON millrace_private.sinks USING btree (name)
CREATE UNIQUE INDEX sinks_no_key ON millrace_private.sinks USING btree (no)
CREATE UNIQUE INDEX sinks_pkey ON millrace_private.sinks USING btree (id)
constraint sinks_database_id_fkey FOREIGN KEY (database_id) REFERENCES millrace_private.databases(id)
constraint sinks_destination_database_id_fkey FOREIGN KEY (destination_database_id) REFERENCES millrace_private.databases(id)
constraint sinks_managed_by_check CHECK ((managed_by = ANY (ARRAY['api'::text, 'file'::text])))
constraint sinks_name_key UNIQUE (name)
constraint sinks_no_key UNIQUE (no)
constraint sinks_ordering_check CHECK ((ordering = ANY (ARRAY['group'::text, 'key'::text, 'commit'::text])))
constraint sinks_pkey PRIMARY KEY (id)
constraint sinks_status_by_check CHECK ((status_by = ANY (ARRAY['file'::text, 'operator'::text])))
constraint sinks_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'disabled'::text])))

table millrace_private.source_tables
  no integer not null identity a
  database_no integer not null
  oid bigint not null
  schema_name text not null
  table_name text not null
  metadata text not null
  key_columns text[]
  key_shape jsonb
CREATE UNIQUE INDEX source_tables_database_no_oid_schema_name_table_name_key ON millrace_private.source_tables USING btree (database_no, oid, schema_name, table_name)
CREATE UNIQUE INDEX source_tables_pkey ON millrace_private.source_tables USING btree (no)
constraint source_tables_database_no_fkey FOREIGN KEY (database_no) REFERENCES millrace_private.databases(no) ON DELETE CASCADE
constraint source_tables_database_no_oid_schema_name_table_name_key UNIQUE (database_no, oid, schema_name, table_name)
constraint source_tables_pkey PRIMARY KEY (no)

table millrace_private.users
  id uuid not null default gen_random_uuid()
  email text not null
  name text
  password text
  scopes text[] not null
  created_by text not null
  created_at timestamp with time zone not null default clock_timestamp()
  updated_at timestamp with time zone not null default clock_timestamp()
  last_login_at timestamp with time zone
CREATE TRIGGER tell_of_users AFTER DELETE OR UPDATE OF email, name, scopes OR TRUNCATE ON millrace_private.users FOR EACH STATEMENT EXECUTE FUNCTION millrace_private.tell_of_tokens()
CREATE UNIQUE INDEX users_email_key ON millrace_private.users USING btree (email)
CREATE UNIQUE INDEX users_pkey ON millrace_private.users USING btree (id)
constraint users_email_check CHECK ((email = lower(email)))
constraint users_email_key UNIQUE (email)
constraint users_pkey PRIMARY KEY (id)

table millrace_private.worker_beats
  seq bigint not null identity a
  at timestamp with time zone not null
with autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500
CREATE UNIQUE INDEX worker_beats_pkey ON millrace_private.worker_beats USING btree (seq)
constraint worker_beats_pkey PRIMARY KEY (seq)

CREATE OR REPLACE FUNCTION millrace.accept_gap(database text)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_no integer := millrace_private.database_no(database);
  v_epoch integer := millrace_private.begin_epoch(v_no);
begin
  -- Whoever accepts the gap brings the sinks up to date, with this too.
  delete from millrace_private.notices n
   using millrace_private.sinks s, millrace_private.databases d
   where s.no = n.sink_no and d.id = s.database_id and d.no = v_no
     and n.code = any (millrace_private.missed_codes() || 'gap'::text);
  perform millrace_private.record_change('accept_gap', 'database ' || d.name, null, jsonb_build_object('epoch', v_epoch))
    from millrace_private.databases d where d.no = v_no;
  return v_epoch;
end
$function$

comment 'Starts capture of a database again after a gap, in a new epoch (returned), and sends nothing: millrace.resync also sends all rows. A slot that is gone or lost is created again when slot.create_if_not_exists is set.'

CREATE OR REPLACE FUNCTION millrace.ack(consumer text, ack_ids text[])
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_no integer;
begin
  select s.no into v_no from millrace_private.sinks s where s.receivable and s.name = consumer;
  if not found then
    v_no := millrace_private.consumer_no(consumer);
  end if;
  return millrace_private.acknowledge(v_no, ack_ids);
end
$function$

comment 'Marks these messages as done: they never come back. Returns the number of messages that it applied to; unknown ids are ignored.'

CREATE OR REPLACE FUNCTION millrace.ack_and_receive(consumer text, ack_ids text[], batch_size integer DEFAULT 1, visibility_timeout interval DEFAULT NULL::interval)
 RETURNS TABLE(acked integer, ack_id text, message json)
 LANGUAGE plpgsql
 SET lock_timeout TO '2s'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_no integer := millrace_private.consumer_no(consumer);
  v_is_mine boolean;
  v_acked integer;
  v_told text;
begin
  v_is_mine := case when current_setting('millrace.answered', true) <> '' then millrace_private.try_lock_consumer(v_no, 'turn')
                    else millrace_private.lock_consumer(v_no, 'turn') end;
  v_acked := millrace.ack(consumer, ack_ids);
  if v_is_mine then
    v_told := set_config('millrace.answered', 'turn ' || v_no, true);
  end if;
  return query
    select v_acked, r.ack_id, r.message from millrace.receive(consumer, batch_size, visibility_timeout) r;
  if not found then
    return query select v_acked, null::text, null::json;
  end if;
end
$function$

comment 'Marks these messages as done, then leases the next ones: as ack and receive do, in one transaction. acked: the number of messages that were marked, in every row; without a message there is one row, with nothing else.'

CREATE OR REPLACE FUNCTION millrace.backfill(sink text, "table" text DEFAULT NULL::text, sort_column text DEFAULT NULL::text, start_position text DEFAULT NULL::text)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_no integer := millrace_private.sink_no(sink);
  v_takes_rows boolean;
  v_status text;
  v_parts text[];
  v_id uuid;
begin
  select s.takes_rows, s.status into v_takes_rows, v_status from millrace_private.sinks s where s.no = v_no;
  if not v_takes_rows then
    raise exception 'sink %: a change table takes changes only, not rows that are there already', quote_literal(sink)
      using errcode = 'MR400', hint = 'Name a sink that is no change retention.';
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
  perform millrace_private.record_sink('backfill', v_no, null, jsonb_strip_nulls(jsonb_build_object(
    'operation', v_id, 'table', "table", 'sort_column', backfill.sort_column)));
  return v_id;
exception when unique_violation then
  raise exception 'a backfill of % runs already',
    case when "table" is null then format('all tables of sink %s', quote_literal(sink))
         else format('%s to sink %s', quote_literal("table"), quote_literal(sink)) end
    using errcode = 'MR409', hint = 'select * from millrace.backfill_status; millrace.cancel_backfill(id) ends it.';
end
$function$

comment 'Sends the rows of a table (absent: of all tables of the sink) as messages of action read. With sort_column and start_position only rows from that value on. Returns the backfill''s id.'

CREATE OR REPLACE FUNCTION millrace.cancel_backfill(backfill uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_done millrace_private.backfills;
begin
  update millrace_private.backfills b set state = 'cancelled', reason = null, remedy = null, ended_at = clock_timestamp()
   where b.no = millrace_private.backfill_no(backfill) and b.state in ('waiting', 'running', 'paused', 'failed')
  returning b.* into v_done;
  if not found then
    return false;
  end if;
  perform millrace_private.record_change('cancel', 'operation ' || backfill, null, null);
  if v_done.kind = 'replay' and v_done.started_at is not null and not v_done.replay ? 'after'
     and exists (select from millrace_private.sinks s where s.no = v_done.sink_no and s.replaces) then
    insert into millrace_private.backfills (sink_no, kind, table_schema, table_name, replay, rows_total)
    values (v_done.sink_no, 'replay', v_done.table_schema, v_done.table_name,
            v_done.replay || jsonb_build_object('after', v_done.id), 0);
  end if;
  return true;
end
$function$

comment 'Ends a backfill for good; what it sent stays sent. False when it had ended.'

CREATE OR REPLACE FUNCTION millrace.cancel_operation(operation uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_state text := millrace_private.operation_state(operation);
  v_part uuid;
  v_left integer;
  v_any boolean := false;
begin
  if v_state is not null then
    update millrace_private.operations o
       set state = 'cancelled', reason = null, remedy = null, owner = null, token = null, until = null,
           lines = '{}', ended_at = clock_timestamp()
     where o.id = operation and o.state in ('waiting', 'running', 'paused', 'failed')
    returning case when o.kind = 'resync' and o.kept is not null then o.database_no end into v_left;
    if not found then
      return false;
    end if;
    v_any := true;
    insert into millrace_private.notices as n (sink_no, code, table_name, message, remedy)
    select s.no, 'gap', '', 'a resync was cancelled: rows that changed before it may be missing, documents of deleted rows may be left',
           format('bin/millrace resync %s --force', millrace_private.shell_word(d.name))
      from millrace_private.sinks s
      join millrace_private.databases d on d.id = s.database_id
     where d.no = v_left and s.readable and s.status <> 'disabled'
    on conflict (sink_no, code, table_name) do update
      set message = excluded.message, remedy = excluded.remedy, created_at = clock_timestamp();
    perform millrace_private.record_change('cancel', 'operation ' || operation, null, null);
    for v_part in select o.id from millrace_private.operations o
                   where o.parent_id = operation and o.state in ('waiting', 'running', 'paused') loop
      perform millrace.cancel_operation(v_part);
    end loop;
  end if;
  for v_part in select millrace_private.operation_backfills(operation) loop
    if millrace.cancel_backfill(v_part) then
      v_any := true;
    end if;
  end loop;
  if v_state is not null then
    update millrace_private.operations o set kept = null where o.id = operation;
    perform pg_notify('millrace_operations', operation::text);
  end if;
  return v_any;
end
$function$

comment 'Ends a job for good, with what it began; what it has done stays. False when it had ended.'

CREATE OR REPLACE FUNCTION millrace.disable(sink text)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select millrace_private.set_status(sink, 'disabled')
$function$

comment 'Stops delivery to a sink and keeps no changes for it from now on. False when it was disabled already.'

CREATE OR REPLACE FUNCTION millrace.discard(sink text, ids bigint[])
 RETURNS integer
 LANGUAGE plpgsql
 SET lock_timeout TO '10s'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_no integer := millrace_private.sink_no(sink);
  v_count integer := millrace_private.discard_messages(v_no, ids);
begin
  if v_count > 0 then
    perform millrace_private.record_sink('discard', v_no, jsonb_build_object('messages', v_count), null);
  end if;
  return v_count;
end
$function$

comment 'Deletes messages that failed: parked, backing off or held. Returns their number. They are gone for good.'

CREATE OR REPLACE FUNCTION millrace.discard_all(sink text, filter jsonb DEFAULT '{}'::jsonb)
 RETURNS uuid
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select millrace_private.begin_settling('discard', sink, filter)
$function$

comment 'Has all messages deleted that failed and fit a filter: {"state": "parked", "table": "public.orders"}. Returns the id that operation_status shows.'

CREATE OR REPLACE FUNCTION millrace.dismiss(sink text, code text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_no integer := millrace_private.sink_no(sink);
  v_codes text[] := 'gap'::text || millrace_private.missed_codes() || '{invalid_utf8,values_left_out}'::text[];
begin
  if dismiss.code <> all (v_codes) then
    raise exception 'a notice % goes by itself when its cause is fixed', quote_literal(code) using errcode = 'MR400',
      hint = format('These stay until they are dismissed: %s.', array_to_string(v_codes, ', '));
  end if;
  delete from millrace_private.notices n where n.sink_no = v_no and n.code = dismiss.code;
  if not found then
    return false;
  end if;
  perform millrace_private.record_sink('dismiss', v_no, jsonb_build_object('notice', dismiss.code), null);
  return true;
end
$function$

comment 'Takes away a sink''s notices whose cause cannot be seen to be fixed: gap, truncated, table_detached, added_late, changes_left_out, capture_switched_off, key_changed, invalid_utf8, values_left_out. False when there was none.'

CREATE OR REPLACE FUNCTION millrace.extend(consumer text, ack_ids text[], visibility_timeout interval)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if visibility_timeout is null or visibility_timeout < interval '500 ms' or visibility_timeout > interval '12 h' then
    raise exception 'visibility_timeout must be from 500 milliseconds to 12 hours' using errcode = '22023';
  end if;
  return millrace_private.put_back(millrace_private.consumer_no(consumer), 'extend', ack_ids, visibility_timeout);
end
$function$

comment 'Extends leases to visibility_timeout from now. Returns the number of messages that it applied to.'

CREATE OR REPLACE FUNCTION millrace.metrics()
 RETURNS TABLE(name text, labels jsonb, value double precision)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  with sink as materialized (
    select s.* from millrace_private.sinks_backlog() s
  ), database as materialized (
    select d.database_name, d.state, d.level, d.reasons from millrace.database_status d where d.state is not null
  )
  select m.name, jsonb_build_object('sink', s.sink_name, 'kind', s.kind), m.value
    from sink s
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
    from sink s
   cross join lateral unnest(s.reasons) r (reason)
  union all
  select 'consumer_leased_messages', jsonb_build_object('sink', c.sink_name), c.leased::double precision
    from millrace.consumer_status c
  union all
  select m.name, jsonb_build_object('database', d.database_name), m.value
    from database d
   cross join lateral (values
     ('database_streaming', (d.state = 'streaming')::integer::double precision),
     ('database_health_level', millrace_private.level_number(d.level)::double precision)) m (name, value)
  union all
  select 'database_health_reason', jsonb_build_object('database', d.database_name, 'reason', r.reason), 1
    from database d
   cross join lateral unnest(d.reasons) r (reason)
$function$

comment 'The figures of /metrics that the database knows, one row for each, for tools that scrape by SQL.'
grant execute to millrace_reader

CREATE OR REPLACE FUNCTION millrace.nack(consumer text, ack_ids text[], delay interval DEFAULT '00:00:00'::interval)
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if delay is null or delay < interval '0' or delay > interval '12 h' then
    raise exception 'delay must be from 0 to 12 hours' using errcode = '22023';
  end if;
  return millrace_private.put_back(millrace_private.consumer_no(consumer), 'nack', ack_ids, delay);
end
$function$

comment 'Gives messages back: visible again at once, or after delay. Returns the number of messages that it applied to.'

CREATE OR REPLACE FUNCTION millrace.pause(sink text)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select millrace_private.set_status(sink, 'paused')
$function$

comment 'Stops delivery to a sink; its messages are kept. False when it was paused already.'

CREATE OR REPLACE FUNCTION millrace.pause_backfill(backfill uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  update millrace_private.backfills b set state = 'paused', reason = null, remedy = null
   where b.no = millrace_private.backfill_no(backfill) and b.state in ('waiting', 'running');
  if not found then
    return false;
  end if;
  perform millrace_private.record_change('pause', 'operation ' || backfill, null, null);
  return true;
end
$function$

comment 'Stops a backfill after its current page. False when it was not running.'

CREATE OR REPLACE FUNCTION millrace.pause_operation(operation uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_state text := millrace_private.operation_state(operation);
  v_part uuid;
  v_any boolean := false;
begin
  if v_state is not null then
    update millrace_private.operations o
       set state = 'paused', reason = null, remedy = null, owner = null, token = null, until = null
     where o.id = operation and o.state in ('waiting', 'running');
    if not found then
      return false;
    end if;
    v_any := true;
    perform millrace_private.record_change('pause', 'operation ' || operation, null, null);
    for v_part in select o.id from millrace_private.operations o where o.parent_id = operation loop
      perform millrace.pause_operation(v_part);
    end loop;
    perform pg_notify('millrace_operations', operation::text);
  end if;
  for v_part in select millrace_private.operation_backfills(operation) loop
    if millrace.pause_backfill(v_part) then
      v_any := true;
    end if;
  end loop;
  return v_any;
end
$function$

comment 'Stops a job until it is resumed, with the backfills that it began. False when it was not under way.'

CREATE OR REPLACE FUNCTION millrace.probe(sink text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_no integer := millrace_private.sink_no(sink);
  v_status text;
begin
  select s.status into v_status from millrace_private.sinks s where s.no = v_no;
  if v_status <> 'active' then
    raise exception 'sink % is %: its destination is not asked', quote_literal(sink), v_status using errcode = 'MR400',
      hint = format('select millrace.resume(%L)', sink);
  end if;
  update millrace_private.circuits c set probe_at = clock_timestamp() where c.sink_no = v_no;
  if not found then
    return false;
  end if;
  perform millrace_private.record_sink('probe', v_no, null, null);
  perform pg_notify('millrace_messages', v_no::text);
  return true;
end
$function$

comment 'Has the destination of a sink that cannot be delivered to asked now whether it can. False when nothing is known to be wrong with it.'

CREATE OR REPLACE FUNCTION millrace.rebuild(sink text, index text, transform text DEFAULT NULL::text, name text DEFAULT NULL::text, alias text DEFAULT NULL::text)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_sink record;
begin
  select s.no, s.name, s.readable, d.no as database_no into v_sink
    from millrace_private.sinks s join millrace_private.databases d on d.id = s.database_id
   where s.no = millrace_private.sink_no(sink);
  if not v_sink.readable then
    raise exception 'sink % has no index', quote_literal(v_sink.name) using errcode = 'MR400', hint = 'Name a search index.';
  end if;
  if coalesce(index, '') = '' then
    raise exception 'index must name the new index' using errcode = 'MR400', hint = 'It must exist, with its mapping.';
  end if;
  return millrace_private.begin_operation('rebuild', v_sink.no, v_sink.database_no,
    jsonb_build_object('index', index, 'transform', transform, 'name', name, 'alias', alias));
end
$function$

comment 'Has a second index filled beside the one of a search index, by a sink of its own. Returns the id that operation_status shows; its result says how to switch over.'

CREATE OR REPLACE FUNCTION millrace.receive(consumer text, batch_size integer DEFAULT 1, visibility_timeout interval DEFAULT NULL::interval)
 RETURNS TABLE(ack_id text, message json)
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_no integer;
  v_lease record;
  v_token text;
  v_sink text;
  v_lo bigint;
  v_hi bigint;
begin
  select s.no, s.metadata into v_no, v_sink from millrace_private.sinks s where s.receivable and s.name = consumer;
  if not found then
    v_no := millrace_private.consumer_no(consumer);
    select s.metadata into v_sink from millrace_private.sinks s where s.no = v_no;
  end if;
  if batch_size is null or batch_size < 1 or batch_size > 1000 then
    raise exception 'batch_size must be from 1 to 1000' using errcode = '22023';
  end if;
  if visibility_timeout < interval '500 ms' or visibility_timeout > interval '12 h' then
    raise exception 'visibility_timeout must be from 500 milliseconds to 12 hours' using errcode = '22023';
  end if;
  v_lease := millrace_private.lease_batches(v_no, array[batch_size], visibility_timeout, 9223372036854775807);
  v_token := v_lease.tokens[1];
  if v_token is null then
    return;
  end if;
  v_lo := v_lease.ids[1];
  v_hi := v_lease.ids[cardinality(v_lease.ids)];
  -- Nearly always every row between the first and the last: then they are read by range.
  if v_lease.table_no is not null then
    return query
      select v_token || '-' || o.id,
             millrace_private.message_text(o, (select t.metadata from millrace_private.source_tables t
                                                where t.no = v_lease.table_no), v_sink)::json
        from millrace_private.messages o
       where o.sink_no = v_no and o.lane = 0 and o.id >= v_lo and o.id <= v_hi
       order by o.id;
    return;
  elsif v_lease.bytes is not null or v_lo = v_hi then
    return query
      select v_token || '-' || o.id,
             millrace_private.message_text(o, (select t.metadata from millrace_private.source_tables t
                                                where t.no = o.source_table), v_sink)::json
        from millrace_private.messages o
       where o.sink_no = v_no and o.lane = 0 and o.id >= v_lo and o.id <= v_hi
       order by o.id;
    return;
  end if;
  return query
    select v_token || '-' || i.id, m.message::json
      from unnest(v_lease.ids) i (id)
     cross join lateral (select millrace_private.message_text(o, t.metadata, v_sink) as message
                           from millrace_private.messages o
                           join millrace_private.source_tables t on t.no = o.source_table
                          where o.sink_no = v_no and o.lane = 0 and o.id = i.id limit 1) m
     order by i.id;
end
$function$

comment 'Leases messages of a pull consumer, in order per row. Acknowledge them with millrace.ack; otherwise they come again after visibility_timeout.'

CREATE OR REPLACE FUNCTION millrace.replay(retention text, sink text, from_time timestamp with time zone DEFAULT NULL::timestamp with time zone, to_time timestamp with time zone DEFAULT NULL::timestamp with time zone, from_seq bigint DEFAULT NULL::bigint, to_seq bigint DEFAULT NULL::bigint, record_pks text[] DEFAULT NULL::text[])
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_from millrace_private.sinks;
  v_to millrace_private.sinks;
  v_table text[];
  v_id uuid;
begin
  select s.* into v_from from millrace_private.sinks s where s.name = retention or s.id::text = lower(retention)
   order by s.name = retention desc limit 1;
  if not found or v_from.destination_database_id is null then
    raise exception '% is not the name or id of a change retention', quote_literal(coalesce(retention, ''))
      using errcode = 'MR404', hint = 'select sink_name, kind from millrace.sink_status';
  end if;
  select s.* into strict v_to from millrace_private.sinks s where s.no = millrace_private.sink_no(sink);
  if not v_to.takes_rows then
    raise exception 'sink % is a change retention: entries are replayed to sinks of other kinds', quote_literal(sink)
      using errcode = 'MR400', hint = 'select sink_name, kind from millrace.sink_status';
  end if;
  if v_to.status = 'disabled' then
    raise exception 'sink % is disabled: it keeps no messages', quote_literal(sink)
      using errcode = 'MR400', hint = 'Set its status to active or paused first.';
  end if;
  if v_to.database_id <> v_from.database_id then
    raise exception 'sink % and retention % have different source databases', quote_literal(sink), quote_literal(retention)
      using errcode = 'MR400', hint = 'Name a sink whose database is the source_database of the retention.';
  end if;
  if from_time > to_time then
    raise exception 'from_time is after to_time' using errcode = 'MR400', hint = 'Entries from from_time on and before to_time are taken.';
  end if;
  if from_seq > to_seq then
    raise exception 'from_seq is after to_seq' using errcode = 'MR400', hint = 'Entries from from_seq to to_seq are taken, both included.';
  end if;
  -- schema.table, as the catalog writes it; a dot may be part of neither.
  v_table := regexp_match(v_from.settings #>> '{source,include_tables,0}', '^([^.]*)\.(.*)$', 's');
  insert into millrace_private.backfills (sink_no, kind, table_schema, table_name, replay)
  values (v_to.no, 'replay', v_table[1], v_table[2],
          jsonb_build_object('retention_id', v_from.id, 'retention', v_from.name, 'from_time', from_time, 'to_time', to_time,
                             'from_seq', from_seq::text, 'to_seq', to_seq::text, 'record_pks', to_jsonb(record_pks)))
  returning id into v_id;
  perform millrace_private.record_sink('replay', v_from.no, null, jsonb_strip_nulls(jsonb_build_object(
    'operation', v_id, 'sink', v_to.name, 'from_time', from_time, 'to_time', to_time, 'from_seq', from_seq, 'to_seq', to_seq,
    'record_pks', cardinality(record_pks))));
  return v_id;
exception when unique_violation then
  raise exception 'a replay of % to sink % runs already', quote_literal(retention), quote_literal(sink)
    using errcode = 'MR409', hint = 'select * from millrace.backfill_status; millrace.cancel_backfill(id) ends it.';
end
$function$

comment 'Sends entries of a retention''s change table to a sink again, in their order: those committed from from_time on and before to_time, from from_seq to to_seq, of the rows with these record_pk; absent: all. Returns the id that backfill_status shows.'

CREATE OR REPLACE FUNCTION millrace.resume(sink text)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select millrace_private.set_status(sink, 'active')
$function$

comment 'Resumes delivery to a sink. False when it was active already.'

CREATE OR REPLACE FUNCTION millrace.resume_backfill(backfill uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  update millrace_private.backfills b
     set state = 'waiting', reason = null, remedy = null, moved_at = null, ended_at = null
   where b.no = millrace_private.backfill_no(backfill) and b.state in ('paused', 'failed');
  if not found then
    return false;
  end if;
  perform millrace_private.record_change('resume', 'operation ' || backfill, null, null);
  return true;
exception when unique_violation then
  raise exception 'another backfill of this table runs' using errcode = 'MR409',
    hint = 'select * from millrace.backfill_status';
end
$function$

comment 'Continues a paused or failed backfill where it stopped. False when it was neither.'

CREATE OR REPLACE FUNCTION millrace.resume_operation(operation uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_state text := millrace_private.operation_state(operation);
  v_part uuid;
  v_any boolean := false;
begin
  if v_state is not null then
    update millrace_private.operations o
       set state = 'waiting', reason = null, remedy = null, attempt = 0, until = null, ended_at = null
     where o.id = operation and o.state in ('paused', 'failed');
    if not found then
      return false;
    end if;
    v_any := true;
    perform millrace_private.record_change('resume', 'operation ' || operation, null, null);
    for v_part in select o.id from millrace_private.operations o
                   where o.parent_id = operation and o.state = 'paused' loop
      perform millrace.resume_operation(v_part);
    end loop;
    perform pg_notify('millrace_operations', operation::text);
  end if;
  for v_part in select millrace_private.operation_backfills(operation) loop
    if millrace.resume_backfill(v_part) then
      v_any := true;
    end if;
  end loop;
  return v_any;
exception when unique_violation then
  raise exception 'another one of the kind is under way' using errcode = 'MR409',
    hint = 'select * from millrace.operation_status';
end
$function$

comment 'Continues a paused or failed job where it stopped. False when it was neither.'

CREATE OR REPLACE FUNCTION millrace.resync(database text, force boolean DEFAULT false)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
  if v_state <> 'needs_resync' and not coalesce(force, false) then
    raise exception 'database % needs no resync: it is %', quote_literal(database), v_state using errcode = 'MR409',
      hint = format('select * from millrace.database_status; if all rows are to be sent all the same: select millrace.resync(%L, force => true)', database);
  end if;
  perform millrace_private.begin_epoch(v_no);
  perform millrace_private.record_change('resync', 'database ' || d.name, jsonb_build_object('state', v_state), null)
    from millrace_private.databases d where d.no = v_no;
  for v_sink in
    select s.no, s.name, s.takes_rows, s.readable from millrace_private.sinks s
      join millrace_private.databases d on d.id = s.database_id
     where d.no = v_no and s.status <> 'disabled' order by s.no
  loop
    if not v_sink.readable then
      insert into millrace_private.notices as n (sink_no, code, table_name, message, remedy)
      values (v_sink.no, 'gap', '',
              case
                when not v_sink.takes_rows then 'changes were missed before ' || to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') || ': the change table has no entries of them'
                else 'changes were missed before ' || to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') || ': all rows are sent again, but no message tells which were deleted meanwhile' end,
              format('select millrace.dismiss(%L, ''gap'')', v_sink.name))
      on conflict (sink_no, code, table_name) do update
        set message = excluded.message, remedy = excluded.remedy, created_at = clock_timestamp();
    end if;
    -- Of one that was cancelled: this one makes it good.
    delete from millrace_private.notices n where n.sink_no = v_sink.no and n.code = 'gap' and v_sink.readable;
    continue when not v_sink.takes_rows;
    -- What was read before the gap may have changed in it.
    update millrace_private.backfills b
       set state = 'cancelled', reason = 'a resync sends all rows', remedy = null, ended_at = clock_timestamp()
     where b.sink_no = v_sink.no and b.kind in ('all', 'table') and b.state in ('waiting', 'running', 'paused', 'failed');
    insert into millrace_private.backfills (sink_no, kind, resync) values (v_sink.no, 'all', true) returning id into v_id;
    return next v_id;
  end loop;
end
$function$

comment 'Repairs a database that needs a resync: capture starts again in a new epoch, and all rows are sent to each of its sinks but change retentions. Returns the ids of these backfills. Documents of rows that were deleted meanwhile are removed by bin/millrace verify SINK --repair.'

CREATE OR REPLACE FUNCTION millrace.retry(sink text, ids bigint[])
 RETURNS integer
 LANGUAGE plpgsql
 SET lock_timeout TO '10s'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_no integer := millrace_private.sink_no(sink);
  v_count integer := millrace_private.retry_messages(v_no, ids);
begin
  if v_count > 0 then
    perform millrace_private.record_sink('retry', v_no, null, jsonb_build_object('messages', v_count));
  end if;
  return v_count;
end
$function$

comment 'Puts parked messages back at their old place, to be tried again at once. Returns their number.'

CREATE OR REPLACE FUNCTION millrace.retry_all(sink text, filter jsonb DEFAULT '{}'::jsonb)
 RETURNS uuid
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select millrace_private.begin_settling('retry', sink, filter)
$function$

comment 'Has all parked messages put back that fit a filter: {"table": "public.orders", "error": "timeout"}. Returns the id that operation_status shows.'

CREATE OR REPLACE FUNCTION millrace.verify(sink text, repair boolean DEFAULT false, refresh_ms integer DEFAULT NULL::integer)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_sink record;
begin
  select s.no, s.name, s.readable, d.no as database_no into v_sink
    from millrace_private.sinks s join millrace_private.databases d on d.id = s.database_id
   where s.no = millrace_private.sink_no(sink);
  if not v_sink.readable then
    raise exception 'sink % holds nothing that can be compared with tables', quote_literal(v_sink.name)
      using errcode = 'MR400', hint = 'Name a search index.';
  end if;
  if refresh_ms not between 0 and 600000 then
    raise exception 'refresh_ms must be from 0 to 600000' using errcode = 'MR400',
      hint = 'It is in milliseconds, a little more than the refresh_interval of the index.';
  end if;
  return millrace_private.begin_operation('verify', v_sink.no, v_sink.database_no,
    jsonb_build_object('repair', coalesce(repair, false), 'refresh_ms', refresh_ms));
end
$function$

comment 'Has a search index compared with its tables, and repaired if so wished. Returns the id that operation_status shows; its result says what was found.'

CREATE OR REPLACE FUNCTION millrace_private.acknowledge(p_sink_no integer, p_ack_ids text[])
 RETURNS integer
 LANGUAGE plpgsql
 SET lock_timeout TO '10s'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_token text := left(p_ack_ids[1], 32);
  v_text text := array_to_string(p_ack_ids, ',');
  v_rest text := replace(v_text, v_token || '-', '');
  v_tokens text[];
  v_ids text[];
  v_answer record;
  v_is_mine boolean;
  v_told text;
begin
  -- Nearly always all are of one token: then as acknowledge_leases does it, without its lists. As parse_ack_ids looks at them.
  if octet_length(v_text) - octet_length(v_rest) = 33 * cardinality(p_ack_ids)
     and v_rest ~ '^[0-9]{1,18}(,[0-9]{1,18})*$'
     and octet_length(v_rest) - octet_length(replace(v_rest, ',', '')) = cardinality(p_ack_ids) - 1 then
    v_is_mine := millrace_private.lock_consumer(p_sink_no, 'shared');
    v_told := set_config('millrace.answered', 'yes', true);
    v_answer := millrace_private.acknowledge_lease(p_sink_no, v_token, ('{' || v_rest || '}')::bigint[]);
    if v_answer.groups is not null or v_answer.others is not null then
      perform millrace_private.free_acknowledged(p_sink_no, v_answer.groups, v_answer.others);
    end if;
    return v_answer.count;
  end if;
  select coalesce(array_agg(k.token order by k.token), '{}'), array_agg(array_to_string(k.ids, ',') order by k.token)
    into v_tokens, v_ids from millrace_private.known_tokens(p_sink_no, p_ack_ids) k;
  v_answer := millrace_private.acknowledge_leases(p_sink_no, v_tokens, v_ids);
  return (select coalesce(sum(c), 0) from unnest(v_answer.counts) c);
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.acknowledge_lease(p_sink_no integer, p_token text, p_ids bigint[], OUT count integer, OUT groups bigint[], OUT others bigint[], OUT first timestamp with time zone, OUT last timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_lease record;
  v_part record;
begin
  -- (A row that was shaped late may have come into the range; it has a state then.) Who took something out of it meanwhile has
  -- changed the lease row, which is looked at again when its lock is had. Then the groups of which a row is left: nobody can
  -- pass one while we hold X. Rows with a changed key are rare: of a large batch it is not asked for each row.
  with lease as materialized (
    select l.ctid as place, l.lo, l.hi from millrace_private.leases l
     where l.sink_no = p_sink_no and l.token >= p_token and l.token <= p_token
       and l.dense and l.remaining = l.size and l.size = cardinality(p_ids) and l.digest = hash_array_extended(p_ids, 0)
       and (select true from millrace_private.delivery_states x
             where x.sink_no = p_sink_no and x.id > l.lo and x.id <= l.hi order by x.id limit 1) is null
     order by l.token limit 1 for update
  ), gone as (
    delete from millrace_private.messages m
     where m.sink_no = p_sink_no and m.lane = 0
       and m.id > (select l.lo from lease l) and m.id <= (select l.hi from lease l)
    returning m.id, m.group_key, m.group_key2, m.committed_at
  ), over as (
    delete from millrace_private.leases o where o.ctid = (select l.place from lease l)
  )
  select count(*), array_agg(g.group_key) filter (where g.group_key is not null and (
           exists (select from millrace_private.messages n
                    where n.sink_no = p_sink_no and n.group_key = g.group_key and n.id > g.id offset 0)
           or (cardinality(p_ids) <= 8
               and exists (select from millrace_private.messages n
                            where n.sink_no = p_sink_no and n.group_key2 = g.group_key and n.id > g.id offset 0))))
         || array_agg(g.group_key2) filter (where g.group_key2 is not null),
         array_agg(g.group_key) filter (where g.group_key is not null and cardinality(p_ids) > 8),
         min(g.committed_at), max(g.committed_at)
    into count, groups, others, first, last from gone g;
  if count > 0 then
    return;
  end if;

  v_lease := millrace_private.lock_lease(p_sink_no, p_token);
  if v_lease.place is not null then
    with gone as (
      delete from millrace_private.messages m
       where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (p_ids)
         and m.id > v_lease.lo and m.id <= v_lease.hi and (v_lease.dense or m.id = any (v_lease.ids))
         and (select true from millrace_private.delivery_states x
               where x.sink_no = p_sink_no and x.id = m.id order by x.id limit 1) is null
      returning m.group_key, m.group_key2, m.committed_at
    )
    select count(*), array_agg(g.group_key) || array_agg(g.group_key2), min(g.committed_at), max(g.committed_at)
      into count, groups, first, last from gone g;
    if count > 0 then
      perform millrace_private.shrink_lease(v_lease.place, count);
    end if;
  end if;
  with settled as (
    delete from millrace_private.delivery_states x
     where x.sink_no = p_sink_no and x.id = any (p_ids) and x.lane = 0 and x.token = p_token
    returning x.id
  ), gone as (
    delete from millrace_private.messages m
     where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (array(select s.id from settled s))
    returning m.group_key, m.group_key2, m.committed_at
  )
  select count(*) as count, array_agg(g.group_key) || array_agg(g.group_key2) as groups,
         min(g.committed_at) as first, max(g.committed_at) as last
    into v_part from gone g;
  count := count + v_part.count;
  groups := array_remove(groups || v_part.groups, null);
  first := least(first, v_part.first);
  last := greatest(last, v_part.last);
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.acknowledge_leases(p_sink_no integer, p_tokens text[], p_ids text[], OUT counts integer[], OUT committed text)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  r record;
  t record;
  v_groups bigint[];
  v_others bigint[];
  v_first timestamptz;
  v_last timestamptz;
  v_is_mine boolean;
  v_told text;
begin
  if current_setting('lock_timeout') = '0' then
    v_told := set_config('lock_timeout', '10s', true);
  end if;
  counts := array_fill(0, array[cardinality(p_tokens)]);
  v_is_mine := millrace_private.lock_consumer(p_sink_no, 'shared');
  -- Until the end of the transaction: see try_lock_consumer. (As an expression: a query costs many times as much.)
  v_told := set_config('millrace.answered', 'yes', true);
  if cardinality(p_tokens) = 1 then
    r := millrace_private.acknowledge_lease(p_sink_no, p_tokens[1], ('{' || p_ids[1] || '}')::bigint[]);
    counts[1] := r.count;
  else
    r := millrace_private.acknowledge_whole(p_sink_no, p_tokens, p_ids);
    for v_place in 1 .. coalesce(cardinality(r.places), 0) loop
      counts[r.places[v_place]] := r.sizes[v_place];
    end loop;
  end if;
  v_groups := r.groups;
  v_others := r.others;
  v_first := r.first;
  v_last := r.last;
  if cardinality(p_tokens) > 1 and 0 = any (counts) then
    -- (Many of these may be invented: none is looked at twice.)
    for t in
      select a.place, a.token, a.ids
        from (select p.place, p.token, ('{' || p.ids || '}')::bigint[] as ids
                from unnest(p_tokens, p_ids, counts) with ordinality p (token, ids, count, place) where p.count = 0) a
       where exists (select from millrace_private.leases l where l.sink_no = p_sink_no and l.token = a.token offset 0)
          or exists (select from millrace_private.delivery_states x
                      where x.sink_no = p_sink_no and x.id = any (a.ids) and x.token = a.token offset 0)
       order by a.token
    loop
      r := millrace_private.acknowledge_lease(p_sink_no, t.token, t.ids);
      counts[t.place] := r.count;
      v_groups := v_groups || r.groups;
      v_others := v_others || r.others;
      v_first := least(v_first, r.first);
      v_last := greatest(v_last, r.last);
    end loop;
  end if;
  committed := concat_ws(' ', date_part('epoch', v_first), date_part('epoch', v_last));

  if v_groups is not null or v_others is not null then
    perform millrace_private.free_acknowledged(p_sink_no, v_groups, v_others);
  end if;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.acknowledge_whole(p_sink_no integer, p_tokens text[], p_ids text[], OUT places integer[], OUT sizes integer[], OUT groups bigint[], OUT others bigint[], OUT first timestamp with time zone, OUT last timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_is_large boolean := cardinality(p_tokens) > 8;
begin
  with lease as materialized (
    select a.place, a.ids, l.ctid as lease
      from (select p.place::integer as place, p.token, ('{' || p.ids || '}')::bigint[] as ids
              from unnest(p_tokens, p_ids, null::text || p_tokens) with ordinality p (token, ids, before, place)
             where p.token is distinct from p.before) a
     cross join lateral (
           select l.ctid,
                  l.dense and l.remaining = l.size and l.size = cardinality(a.ids) and l.digest = hash_array_extended(a.ids, 0)
                  and (select true from millrace_private.delivery_states x
                        where x.sink_no = p_sink_no and x.id > l.lo and x.id <= l.hi order by x.id limit 1) is null as whole
             from millrace_private.leases l
            where l.sink_no = p_sink_no and l.token >= a.token and l.token <= a.token
            order by l.token limit 1 for update) l
     where l.whole
  ), gone as (
    delete from millrace_private.messages m
     where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (array(select i from lease l cross join unnest(l.ids) i))
    returning m.id, m.group_key, m.group_key2, m.committed_at
  ), over as (
    delete from millrace_private.leases o where o.ctid = any (array(select l.lease from lease l))
  )
  select (select array_agg(l.place) from lease l), (select array_agg(cardinality(l.ids)) from lease l),
         array_agg(g.group_key) filter (where g.group_key is not null and (
           exists (select from millrace_private.messages n
                    where n.sink_no = p_sink_no and n.group_key = g.group_key and n.id > g.id offset 0)
           or (not v_is_large
               and exists (select from millrace_private.messages n
                            where n.sink_no = p_sink_no and n.group_key2 = g.group_key and n.id > g.id offset 0))))
         || array_agg(g.group_key2) filter (where g.group_key2 is not null),
         array_agg(g.group_key) filter (where g.group_key is not null and v_is_large),
         min(g.committed_at), max(g.committed_at)
    into places, sizes, groups, others, first, last from gone g;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.add_counters(p_counts jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET lock_timeout TO '2s'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_now constant timestamptz := clock_timestamp();
  v_none constant jsonb := jsonb_build_object(
    'persisted', 0, 'delivered', 0, 'failed', 0, 'retried', 0, 'parked', 0, 'discarded', 0, 'bytes', 0,
    'latency', array_fill(0, array[cardinality(millrace_private.latency_bounds()) + 1]), 'latency_ms', 0);
  v_counts constant jsonb := (select jsonb_agg(v_none || c.one) from jsonb_array_elements(p_counts) c (one));
begin
  insert into millrace_private.sink_counters as c
         (sink_no, step, at, persisted, delivered, failed, retried, parked, discarded, bytes, latency)
  select n.sink_no, t.step, date_trunc(t.step, v_now, 'UTC'), n.persisted, n.delivered, n.failed, n.retried, n.parked,
         n.discarded, n.bytes, n.latency
    from jsonb_to_recordset(v_counts) n (sink_no integer, persisted bigint, delivered bigint, failed bigint, retried bigint,
                                         parked bigint, discarded bigint, bytes bigint, latency bigint[])
    join millrace_private.sinks s on s.no = n.sink_no
   cross join (values ('hour'), ('minute')) t (step)
   order by n.sink_no, t.step
      on conflict (sink_no, step, at) do update
     set persisted = c.persisted + excluded.persisted, delivered = c.delivered + excluded.delivered,
         failed = c.failed + excluded.failed, retried = c.retried + excluded.retried, parked = c.parked + excluded.parked,
         discarded = c.discarded + excluded.discarded, bytes = c.bytes + excluded.bytes,
         latency = array(select x.one + x.other from unnest(c.latency, excluded.latency) x (one, other));

  insert into millrace_private.sink_totals as c
         (sink_no, persisted, delivered, failed, retried, parked, discarded, bytes, latency, latency_ms,
          first_delivered_at, last_delivered_at, last_delivery_ms)
  select n.sink_no, n.persisted, n.delivered, n.failed, n.retried, n.parked, n.discarded, n.bytes, n.latency, n.latency_ms,
         case when n.delivered > 0 then v_now - coalesce(n.first_ago_ms, 0) * interval '1 ms' end,
         case when n.delivered > 0 then v_now - coalesce(n.last_ago_ms, 0) * interval '1 ms' end,
         case when n.delivered > 0 then n.last_ms end
    from jsonb_to_recordset(v_counts) n (sink_no integer, persisted bigint, delivered bigint, failed bigint, retried bigint,
                                         parked bigint, discarded bigint, bytes bigint, latency bigint[],
                                         latency_ms double precision, first_ago_ms double precision,
                                         last_ago_ms double precision, last_ms double precision)
    join millrace_private.sinks s on s.no = n.sink_no
   order by n.sink_no
      on conflict (sink_no) do update
     set persisted = c.persisted + excluded.persisted, delivered = c.delivered + excluded.delivered,
         failed = c.failed + excluded.failed, retried = c.retried + excluded.retried, parked = c.parked + excluded.parked,
         discarded = c.discarded + excluded.discarded, bytes = c.bytes + excluded.bytes,
         latency = array(select x.one + x.other from unnest(c.latency, excluded.latency) x (one, other)),
         latency_ms = c.latency_ms + excluded.latency_ms,
         -- Two processes may have begun at once.
         first_delivered_at = case when c.delivered = 0 then excluded.first_delivered_at
                                   when c.first_delivered_at is not null
                                   then least(c.first_delivered_at, excluded.first_delivered_at) end,
         last_delivered_at = greatest(c.last_delivered_at, excluded.last_delivered_at),
         last_delivery_ms = case when excluded.last_delivered_at >= coalesce(c.last_delivered_at, '-infinity')
                                 then excluded.last_delivery_ms else c.last_delivery_ms end;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.add_locks(p_sink_no integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if to_regclass('millrace_private.lock_' || p_sink_no) is null then
    execute format('create table millrace_private.turn_%s ()', p_sink_no);
    execute format('create table millrace_private.lock_%s ()', p_sink_no);
  end if;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.add_sink_storage(p_sink_no integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
    if v_sink.receivable then
      execute format('create index %I on millrace_private.%I (group_key, id) where group_key is not null',
                     v_table || '_group', v_table);
    end if;
    if v_sink.ordering = 'group' then
      execute format('create index %I on millrace_private.%I (group_key2, id) where group_key2 is not null',
                     v_table || '_group2', v_table);
    end if;
    execute format('alter table millrace_private.%I set (autovacuum_vacuum_scale_factor = 0.05,
                      autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_scale_factor = 0.5)', v_table);
    execute format('alter table millrace_private.messages attach partition millrace_private.%I for values in (%s)',
                   v_table, p_sink_no);
    execute format('alter table millrace_private.%I drop constraint %I', v_table, v_table || '_sink');
  end if;
  if v_sink.receivable then
    perform millrace_private.add_locks(p_sink_no);
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
  select p_sink_no, n from generate_series(0, v_sink.lanes - 1) n where not v_sink.receivable
  union all
  select p_sink_no, 1 where v_sink.receivable and v_sink.lanes > 0
  on conflict do nothing;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.backfill_no(p_id uuid)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_no integer;
begin
  select b.no into v_no from millrace_private.backfills b where b.id = p_id;
  if not found then
    raise exception 'there is no backfill %', p_id using errcode = 'MR404', hint = 'select id from millrace.backfill_status';
  end if;
  return v_no;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.begin_epoch(p_database_no integer)
 RETURNS integer
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_epoch integer;
begin
  perform millrace_private.limit_idling();
  update millrace_private.positions p
     set epoch = p.epoch + 1, generation = p.generation + 1, system_identifier = null,
         left_system = case when p.state <> 'needs_resync' or p.reason !~ '(restored|promoted|another database)'
                            then coalesce(p.system_identifier, p.left_system) end,
         state = 'starting', reason = null, remedy = null, state_since = clock_timestamp()
   where p.database_no = p_database_no returning p.epoch into v_epoch;
  perform pg_notify('millrace_catalog', '');
  return v_epoch;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.begin_operation(p_kind text, p_sink_no integer, p_database_no integer, p_request jsonb, p_parent uuid DEFAULT NULL::uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_id uuid;
  v_name text;
  v_recorded jsonb := jsonb_strip_nulls(p_request) #- '{filter,key}' #- '{filter,error}';
begin
  insert into millrace_private.operations (kind, sink_no, database_no, request, parent_id, requested_by)
  values (p_kind, p_sink_no, p_database_no, jsonb_strip_nulls(p_request), p_parent,
          left(coalesce(nullif(current_setting('millrace.actor', true), ''), 'sql ' || session_user), 400))
  on conflict do nothing
  returning id into v_id;
  if v_id is null then
    select coalesce(
      (select format('sink %L', s.name) from millrace_private.sinks s where s.no = p_sink_no),
      (select format('database %L', d.name) from millrace_private.databases d where d.no = p_database_no)) into v_name;
    raise exception 'a % of % is under way', p_kind, v_name using errcode = 'MR409',
      hint = 'select * from millrace.operation_status';
  end if;
  if p_sink_no is null then
    perform millrace_private.record_change(p_kind, 'database ' || d.name, null, v_recorded)
       from millrace_private.databases d where d.no = p_database_no;
  else
    perform millrace_private.record_sink(p_kind, p_sink_no, null, v_recorded);
  end if;
  perform pg_notify('millrace_operations', v_id::text);
  return v_id;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.begin_settling(p_kind text, p_sink text, p_filter jsonb, p_expected_count bigint DEFAULT NULL::bigint)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_sink record;
  v_states text[] := case p_kind when 'retry' then '{parked}' else '{parked,retrying,held}' end;
  v_words text[] := '{state,table,key,action,error,group,since,until}';
  v_wrong text;
begin
  select s.no, d.no as database_no into v_sink
    from millrace_private.sinks s join millrace_private.databases d on d.id = s.database_id
   where s.no = millrace_private.sink_no(p_sink);
  if jsonb_typeof(p_filter) is distinct from 'object' then
    raise exception 'the filter must be an object' using errcode = 'MR400', hint = '''{}'' for all that failed.';
  end if;
  select w.word into v_wrong
    from jsonb_each(p_filter) w (word, value)
   where w.word <> all (v_words) or jsonb_typeof(w.value) <> 'string' limit 1;
  if found then
    raise exception 'the filter has %, which is none of its words, or no text', quote_literal(v_wrong) using errcode = 'MR400',
      hint = format('Its words are %s.', array_to_string(v_words, ', '));
  end if;
  if p_filter ->> 'state' <> all (v_states) then
    raise exception 'the state must be one of %', array_to_string(v_states, ', ') using errcode = 'MR400',
      hint = 'Nothing else failed.';
  end if;
  begin
    p_filter := p_filter || jsonb_strip_nulls(jsonb_build_object(
      'since', (p_filter ->> 'since')::timestamptz, 'until', (p_filter ->> 'until')::timestamptz));
  exception when data_exception then
    raise exception 'since or until is not a time' using errcode = 'MR400', hint = 'Write 2026-11-22T08:00:00Z.';
  end;
  return millrace_private.begin_operation(p_kind, v_sink.no, v_sink.database_no, jsonb_build_object(
    'filter', p_filter, 'expected_count', p_expected_count,
    'up_to', coalesce((select max(x.id) from millrace_private.delivery_states x where x.sink_no = v_sink.no), 0)));
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.behind_changed_key(p_sink_no integer, p_lo bigint, p_hi bigint)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT m.id
    FROM millrace_private.messages m
   WHERE ((m.sink_no = behind_changed_key.p_sink_no) AND (m.lane = 0) AND (m.id > behind_changed_key.p_lo) AND (m.id <= behind_changed_key.p_hi) AND ( SELECT true
            FROM millrace_private.messages k
           WHERE ((k.sink_no = behind_changed_key.p_sink_no) AND (k.group_key2 IS NOT NULL))
           ORDER BY k.group_key2
          LIMIT 1) AND (EXISTS ( SELECT
            FROM millrace_private.messages e
           WHERE ((e.sink_no = behind_changed_key.p_sink_no) AND (e.group_key2 = m.group_key) AND (e.id < m.id))
          OFFSET 0)));
END

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.blockers(p_sink_no integer, p_group bigint, p_before bigint)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT g.g
    FROM millrace_private.earlier_in_group(blockers.p_sink_no, blockers.p_group, blockers.p_before) g(g)
 UNION ALL
  SELECT l.l
    FROM millrace_private.earlier_leaving(blockers.p_sink_no, blockers.p_group, blockers.p_before) l(l);
END

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.consumer_no(p_consumer text)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_no integer;
begin
  select s.no into v_no from millrace_private.sinks s where s.receivable and s.name = p_consumer;
  if not found then
    select s.no into v_no from millrace_private.sinks s where s.receivable and s.id::text = lower(p_consumer);
  end if;
  if v_no is null then
    raise exception 'there is no pull consumer %', quote_nullable(p_consumer) using errcode = 'MR404',
      hint = 'select sink_name from millrace.consumer_status';
  end if;
  return v_no;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.count_leased(p_sink_no integer, p_now timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  return coalesce((select sum(l.remaining)
                     from (select f.remaining from millrace_private.leases f
                            where f.sink_no = p_sink_no and f.until > p_now order by f.until offset 0) l), 0)
         + (select count(*) from millrace_private.delivery_states x
             where x.sink_no = p_sink_no and x.state = 'leased' and x.due_at > p_now);
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.count_pending(p_sink_no integer, OUT pending bigint, OUT is_estimate boolean)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  select c.pending, c.is_estimate into pending, is_estimate from millrace_private.count_some(p_sink_no, 100000) c;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.count_some(p_sink_no integer, p_most integer, OUT pending bigint, OUT is_estimate boolean)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
declare
  v_lane smallint;
  v_passed bigint;
  v_above bigint;
  v_below bigint;
  v_parked bigint;
begin
  pending := 0;
  is_estimate := false;
  for v_lane, v_passed in
    select l.lane, coalesce((select c.id from millrace_private.cursor_log c
                              where c.sink_no = p_sink_no and c.lane = l.lane order by c.seq desc limit 1), 0)
      from (select k.lane from millrace_private.lanes k where k.sink_no = p_sink_no union select 0::smallint) l
  loop
    select count(*) into v_above
      from (select from millrace_private.messages m
             where m.sink_no = p_sink_no and m.lane = v_lane and m.id > v_passed order by m.id limit p_most + 1) f;
    select count(*) into v_parked from millrace_private.delivery_states e
     where e.sink_no = p_sink_no and e.lane = v_lane and e.id > v_passed and e.state = 'parked';
    if v_lane = 0 and exists (select from millrace_private.consumers c where c.sink_no = p_sink_no) then
      select count(*) into v_below
        from (select from millrace_private.messages m
               where m.sink_no = p_sink_no and m.lane = v_lane and m.id <= v_passed
                 and m.id >= least((select e.id from millrace_private.delivery_states e
                                     where e.sink_no = p_sink_no and e.state <> 'parked' order by e.id limit 1),
                                   (select r.lo + 1 from millrace_private.leases r
                                     where r.sink_no = p_sink_no order by r.hi limit 1))
                 and not exists (select from millrace_private.parked(p_sink_no, m.id) offset 0)
               order by m.id limit p_most + 1) f;
    else
      select count(*) into v_below from millrace_private.delivery_states e
       where e.sink_no = p_sink_no and e.lane = v_lane and e.id <= v_passed and e.state <> 'parked';
    end if;
    pending := pending + greatest(v_above - v_parked, 0) + v_below;
    is_estimate := pending > p_most or v_above > p_most;
    exit when is_estimate;
  end loop;
  if is_estimate then
    select greatest(pending,
                    case when pg_catalog.pg_stat_get_live_tuples(r.oid) > p_most
                         then pg_catalog.pg_stat_get_live_tuples(r.oid)
                         else (case when r.reltuples >= 0 and r.relpages > 0 then r.reltuples / r.relpages else 10 end
                               * pg_catalog.pg_relation_size(r.oid) / current_setting('block_size')::integer)::bigint end
                    - (select count(*) from millrace_private.delivery_states e
                        where e.sink_no = p_sink_no and e.state = 'parked'))
      into pending
      from pg_catalog.pg_class r where r.oid = to_regclass('millrace_private.messages_' || p_sink_no);
  end if;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.count_states(p_sink_no integer)
 RETURNS TABLE(retrying bigint, parked bigint, faulty bigint, parked_since timestamp with time zone, index_error text)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (r.retrying + h.held),
     p.parked,
     f.faulty,
     t.parked_since,
     i.index_error
    FROM (((((( SELECT count(*) AS retrying
            FROM millrace_private.delivery_states e
           WHERE ((e.sink_no = count_states.p_sink_no) AND (e.due_at IS NOT NULL) AND (e.state = 'retrying'::text))) r
      CROSS JOIN ( SELECT count(*) AS held
            FROM millrace_private.delivery_states e
           WHERE ((e.sink_no = count_states.p_sink_no) AND (e.due_at IS NULL) AND (e.state <> 'parked'::text))) h)
      CROSS JOIN ( SELECT count(*) AS parked
            FROM millrace_private.delivery_states e
           WHERE ((e.sink_no = count_states.p_sink_no) AND (e.state = 'parked'::text))) p)
      CROSS JOIN ( SELECT count(*) AS faulty
            FROM millrace_private.delivery_states e
           WHERE ((e.sink_no = count_states.p_sink_no) AND (e.state = 'parked'::text) AND (e.stage = 'shape'::text))) f)
      CROSS JOIN ( SELECT min(e.parked_at) AS parked_since
            FROM millrace_private.delivery_states e
           WHERE ((e.sink_no = count_states.p_sink_no) AND (e.state = 'parked'::text))) t)
      CROSS JOIN ( SELECT max(e.error) AS index_error
            FROM millrace_private.delivery_states e
           WHERE ((e.sink_no = count_states.p_sink_no) AND (e.state = 'retrying'::text) AND (e.stage = 'index'::text))) i);
END

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.count_version()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if tg_op = 'UPDATE' then
    new.version := old.version + 1;
  end if;
  new.updated_by := coalesce(nullif(current_setting('millrace.actor', true), ''), 'sql ' || session_user);
  return new;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.database_health(p_database_no integer, OUT state text, OUT reason text, OUT remedy text, OUT since timestamp with time zone, OUT level text, OUT reasons text[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.database_no(p_database text)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_no integer;
begin
  select d.no into v_no from millrace_private.databases d where d.name = p_database or d.id::text = lower(p_database);
  if not found then
    raise exception 'there is no database %', quote_nullable(p_database) using errcode = 'MR404',
      hint = 'select database_name from millrace.database_status';
  end if;
  return v_no;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.discard_messages(p_sink_no integer, p_ids bigint[])
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_count integer;
  v_groups bigint[];
begin
  perform millrace_private.limit_idling();
  perform from millrace_private.lanes l where l.sink_no = p_sink_no order by l.lane for no key update;
  perform millrace_private.try_lock_consumer(p_sink_no, 'shared');
  with dropped as (
    delete from millrace_private.delivery_states x
     where x.sink_no = p_sink_no and x.id = any (p_ids) and x.state in ('parked', 'retrying', 'held')
    returning x.id, x.lane
  ), gone as (
    delete from millrace_private.messages m using dropped d where m.sink_no = p_sink_no and m.lane = d.lane and m.id = d.id
    returning m.group_key, m.group_key2
  )
  select count(*), array_agg(g.group_key) filter (where g.group_key is not null)
         || coalesce(array_agg(g.group_key2) filter (where g.group_key2 is not null), '{}')
    into v_count, v_groups from gone g;
  if cardinality(v_groups) > 0 then
    perform millrace_private.free_held(p_sink_no, v_groups);
  end if;
  if v_count > 0 then
    perform pg_notify('millrace_messages', p_sink_no::text);
    perform millrace_private.add_counters(jsonb_build_array(jsonb_build_object('sink_no', p_sink_no, 'discarded', v_count)));
  end if;
  return v_count;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.drop_superseded(p_sink_no integer, p_lane integer, p_superseding bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  with last as materialized (
    select n.group_key, n.record_pks, max(n.id) as id
      from unnest(p_superseding) u (id)
      join millrace_private.messages n on n.sink_no = p_sink_no and n.lane = p_lane and n.id = u.id
     group by n.group_key, n.record_pks
  ), older as (
    delete from millrace_private.delivery_states x
     where x.sink_no = p_sink_no and x.id = any (array(
            select f.id
              from last l
             cross join lateral (select d.id from millrace_private.delivery_states d
                                  where d.sink_no = p_sink_no and d.group_key between l.group_key and l.group_key and d.id < l.id
                                  order by d.group_key, d.id offset 0) f
             where exists (select from millrace_private.messages o
                            where o.sink_no = p_sink_no and o.lane = p_lane and o.id = f.id and o.record_pks = l.record_pks offset 0)))
    returning x.id
  )
  delete from millrace_private.messages m using older o
   where m.sink_no = p_sink_no and m.lane = p_lane and m.id = o.id;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.earlier_in_group(p_sink_no integer, p_group bigint, p_before bigint)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT e.id
    FROM millrace_private.messages e
   WHERE ((e.sink_no = earlier_in_group.p_sink_no) AND (e.group_key = earlier_in_group.p_group) AND (e.id < earlier_in_group.p_before) AND (NOT (EXISTS ( SELECT
            FROM millrace_private.parked(earlier_in_group.p_sink_no, e.id) parked(parked)
          OFFSET 0))))
   ORDER BY e.id DESC;
END

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.earlier_leaving(p_sink_no integer, p_group bigint, p_before bigint)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT e.id
    FROM millrace_private.messages e
   WHERE ((e.sink_no = earlier_leaving.p_sink_no) AND (e.group_key2 = earlier_leaving.p_group) AND (e.id < earlier_leaving.p_before) AND (NOT (EXISTS ( SELECT
            FROM millrace_private.parked(earlier_leaving.p_sink_no, e.id) parked(parked)
          OFFSET 0))))
   ORDER BY e.id DESC;
END

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.error_group(p_mark uuid, p_stage text, p_error text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN "left"(encode(sha256(convert_to(((((p_mark)::text || COALESCE(p_stage, ''::text)) || ' '::text) || COALESCE(millrace_private.error_shape(p_error), ''::text)), 'UTF8'::name)), 'hex'::text), 16)

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.error_shape(p_error text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (p_error ~~ '%-____-____-____-____________%'::text) THEN regexp_replace(p_error, '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]+([.,:][0-9]+)*'::text, '#'::text, 'gi'::text) ELSE regexp_replace(p_error, '[0-9]+([.,:][0-9]+)*'::text, '#'::text, 'g'::text) END

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.forget_cursors(p_sink_no integer, p_seq bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  delete from millrace_private.cursor_log c
   where c.sink_no = p_sink_no and c.lane = 0 and c.seq < p_seq and c.seq >= p_seq - 128;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.free_acknowledged(p_sink_no integer, p_groups bigint[], p_others bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if p_others is not null
     and (select true from millrace_private.messages k
           where k.sink_no = p_sink_no and k.group_key2 is not null order by k.group_key2 limit 1) then
    p_groups := p_others || p_groups;
  end if;
  if p_groups is not null then
    perform millrace_private.free_groups(p_sink_no, p_groups);
  end if;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.free_groups(p_sink_no integer, p_groups bigint[], p_due timestamp with time zone DEFAULT clock_timestamp())
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_groups bigint[];
  v_round integer := 0;
begin
  -- Most often there is no next row at all. (Each group once: whoever looks goes past all that was deleted of it just now.)
  select array_agg(g.group_key) into v_groups
    from (select distinct k.group_key from unnest(p_groups) k (group_key)) g
   where exists (select from millrace_private.messages m
                  where m.sink_no = p_sink_no and m.group_key = g.group_key offset 0)
      or exists (select from millrace_private.messages m
                  where m.sink_no = p_sink_no and m.group_key2 = g.group_key offset 0);
  if v_groups is null then
    return;
  end if;
  loop
    with next_row as materialized (
      select g.group_key, n.id, n.lane, n.row_group, n.source_table, n.action, n.record_pks, n.committed_at,
             x.state,
             n.id <= coalesce((select c.id from millrace_private.cursor_log c
                                where c.sink_no = p_sink_no and c.lane = 0 order by c.seq desc limit 1), 0) as passed,
             coalesce((select l.lo < n.id and (l.dense or n.id = any (l.ids))
                         from millrace_private.leases l
                        where l.sink_no = p_sink_no and l.hi >= n.id order by l.hi limit 1), false) as in_lease
        from unnest(v_groups) g (group_key)
       cross join lateral (
             select f.*
               from ((select m.id, m.lane, m.group_key as row_group, m.source_table, m.action, m.record_pks, m.committed_at
                        from millrace_private.messages m
                       where m.sink_no = p_sink_no and m.group_key = g.group_key
                         and not exists (select from millrace_private.parked(p_sink_no, m.id) offset 0)
                       order by m.id limit 1)
                     union all
                     (select m.id, m.lane, m.group_key as row_group, m.source_table, m.action, m.record_pks, m.committed_at
                        from millrace_private.messages m
                       where m.sink_no = p_sink_no and m.group_key2 = g.group_key
                         and not exists (select from millrace_private.parked(p_sink_no, m.id) offset 0)
                       order by m.id limit 1)) f
              order by f.id limit 1) n
        left join millrace_private.delivery_states x on x.sink_no = p_sink_no and x.id = n.id
    ), freed as (
      insert into millrace_private.delivery_states as e
             (sink_no, id, lane, group_key, state, attempts, due_at, source_table, action, record_pks, committed_at)
      select distinct on (n.id) p_sink_no, n.id, 0, n.row_group, 'waiting', 0, p_due, n.source_table, n.action::"char", n.record_pks, n.committed_at
        from next_row n
       where n.lane = 0 and (n.state = 'held' or (n.state is null and n.passed and not n.in_lease))
       order by n.id
          on conflict (sink_no, id) do update set state = 'waiting', due_at = excluded.due_at where e.state = 'held'
    )
    select array_agg(n.group_key order by n.group_key) into v_groups
      from next_row n
     where n.lane = 0 and (n.in_lease or n.state in ('leased', 'retrying', 'waiting'));
    v_round := v_round + 1;
    exit when v_groups is null or v_round = 2;
    perform millrace_private.lock_groups(p_sink_no, v_groups);
  end loop;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.free_held(p_sink_no integer, p_groups bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_groups bigint[] := array(select distinct g from unnest(p_groups) g);
  v_now timestamptz := clock_timestamp();
  v_receivable boolean;
  v_replaces boolean;
  v_ordering text;
begin
  select s.receivable, s.replaces, s.ordering into v_receivable, v_replaces, v_ordering
    from millrace_private.sinks s where s.no = p_sink_no;
  if v_receivable then
    perform millrace_private.free_groups(p_sink_no, v_groups);
    return;
  end if;
  if v_ordering = 'group' then
    perform millrace_private.free_held_of_groups(p_sink_no, v_groups);
    return;
  end if;
  update millrace_private.delivery_states x set state = 'waiting', due_at = v_now
   where x.sink_no = p_sink_no and x.state = 'held' and x.id = any (array(
          select n.id
            from unnest(v_groups) g (group_key)
           cross join lateral (select e.id
                                 from millrace_private.delivery_states e
                                where e.sink_no = p_sink_no and e.group_key between g.group_key and g.group_key and e.state = 'held'
                                  and e.id < coalesce((select b.id
                                                         from millrace_private.delivery_states b
                                                        where b.sink_no = p_sink_no and b.group_key between g.group_key and g.group_key
                                                          and b.state <> 'held'
                                                          and (b.state <> 'parked' or v_replaces)
                                                        order by b.group_key, b.id limit 1), 9223372036854775807)
                                order by e.group_key, e.id
                                limit case when v_replaces then 1 end) n));
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.free_held_of_groups(p_sink_no integer, p_groups bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  c_most constant integer := 1000;
begin
  update millrace_private.delivery_states x set state = 'waiting', due_at = clock_timestamp()
   where x.sink_no = p_sink_no and x.state = 'held' and x.id = any (array(
          select f.id
            from (select distinct k.group_key from unnest(p_groups) k (group_key)) g
           cross join lateral (
                 select coalesce(min(a.id), 9223372036854775807) as id
                   from ((select e.id
                            from (select d.id, d.lane, d.state from millrace_private.delivery_states d
                                   where d.sink_no = p_sink_no
                                     and case when d.state <> 'parked' then d.group_key end between g.group_key and g.group_key
                                   order by case when d.state <> 'parked' then d.group_key end, d.id limit c_most) e
                           where e.state <> 'held'
                              or exists (select from millrace_private.messages o
                                          where o.sink_no = p_sink_no and o.lane = e.lane and o.id = e.id
                                            and o.group_key2 is not null offset 0)
                           order by e.id limit 1)
                         union all
                         (select o.id
                            from millrace_private.messages o
                           where o.sink_no = p_sink_no and o.group_key2 = g.group_key
                             and (select b.state <> 'parked' from millrace_private.delivery_states b
                                   where b.sink_no = p_sink_no and b.id = o.id order by b.id limit 1)
                           order by o.id limit 1)) a) stays
           cross join lateral (
                 (select e.id
                    from millrace_private.delivery_states e
                   where e.sink_no = p_sink_no and e.state = 'held' and e.id < stays.id
                     and case when e.state <> 'parked' then e.group_key end between g.group_key and g.group_key
                   order by case when e.state <> 'parked' then e.group_key end, e.id limit c_most)
                 union all
                 select h.id
                   from millrace_private.delivery_states h
                   join millrace_private.messages m on m.sink_no = p_sink_no and m.lane = h.lane and m.id = h.id
                  where h.sink_no = p_sink_no and h.id = stays.id and h.state = 'held'
                    and not exists (select from unnest(array[m.group_key, m.group_key2]) own (group_key)
                                     cross join lateral millrace_private.undecided(p_sink_no, own.group_key, m.id) u)) f));
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.glance_pending(p_sink_no integer, p_parked bigint, OUT pending bigint, OUT is_estimate boolean)
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  pending := pg_catalog.pg_stat_get_live_tuples(to_regclass('millrace_private.messages_' || p_sink_no));
  if pending > 1000 then
    pending := greatest(pending - p_parked, 0);
    is_estimate := true;
    return;
  end if;
  select c.pending, c.is_estimate into pending, is_estimate from millrace_private.count_some(p_sink_no, 2000) c;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.guard_audit()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if tg_op = 'DELETE'
     and (old.at < now() - interval '400 days'
          or old.id <= (select max(a.id) from millrace_private.audit_log a) - 1000000) then
    return old;
  end if;
  raise exception 'the audit log is only added to' using errcode = 'MR400',
    hint = 'What is older than 400 days, or than the last 1,000,000 rows, is deleted by itself.';
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.how_to_catch_up(p_sink_no integer, p_code text, p_table text)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select case
           when p_code = 'invalid_utf8'
             then format('Correct the rows, or convert the database to UTF8. Then: select millrace.dismiss(%L, %L)', s.name, p_code)
           when s.readable and p_code = 'added_late'
             then format('bin/millrace backfill %s %s', millrace_private.shell_word(s.name), w.word)
           when s.readable
             then format('bin/millrace verify %s --repair', millrace_private.shell_word(s.name))
           when s.takes_rows and p_code <> 'truncated'
             then format('bin/millrace backfill %s %s # remove there what it has %s', millrace_private.shell_word(s.name), w.word,
                         case when p_code = 'key_changed' then 'under the former key' else 'of rows that are gone' end)
           when p_code = 'key_changed'
             then format('Whoever finds rows in it by record_pk must know both keys. Then: select millrace.dismiss(%L, %L)', s.name, p_code)
           else format('What it has of this table may be wrong: correct it there. Then: select millrace.dismiss(%L, %L)', s.name, p_code)
         end
    from millrace_private.sinks s
    join millrace_private.databases d on d.id = s.database_id
    left join lateral (select t.schema_name, t.table_name
                         from millrace_private.source_tables t
                        where p_table like '%.%.%' and t.database_no = d.no and t.schema_name || '.' || t.table_name = p_table
                        order by t.no desc limit 1) k on true
   cross join lateral (select millrace_private.shell_word(
                                quote_ident(coalesce(k.schema_name, split_part(p_table, '.', 1))) || '.'
                                || quote_ident(coalesce(k.table_name, substr(p_table, strpos(p_table, '.') + 1)))) as word) w
   where s.no = p_sink_no
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.is_fresh(p_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
RETURN COALESCE(((p_at >= (clock_timestamp() - '00:00:15'::interval)) AND (p_at <= (clock_timestamp() + '00:00:15'::interval))), false)

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.is_key_only(p_stage text, p_error text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN COALESCE(((p_stage = 'capture'::text) AND (p_error ~~ '%only its key was kept%'::text)), false)

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.joined_key(p_values text[])
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  c_whole constant text := '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|-([0-9]+([.][0-9]+)?|[Ii]nfinity)'
    || E'|-?[0-9]+([.][0-9]+)?e[+-][0-9]+|[0-9]{4,}-[0-9]{2}-[0-9]{2}([ T][^-\\\\]*)?';
  v_plain text := array_to_string(p_values, '-', '');
  v_value text;
  v_joined text;
begin
  if cardinality(p_values) = 1 or length(v_plain) - length(replace(v_plain, '-', '')) < cardinality(p_values) then
    return v_plain;
  end if;
  v_joined := coalesce(p_values[cardinality(p_values)], '');
  for place in reverse cardinality(p_values) - 1..1 loop
    v_value := coalesce(p_values[place], '');
    if (v_value collate "C") ~ ('^(' || c_whole || ')$') then
      v_joined := v_value || '-' || v_joined;
    else
      v_joined := case when v_value = '' then E'\\.' else replace(replace(v_value, E'\\', E'\\\\'), '-', E'\\-') end || '-' || v_joined;
      if (v_joined collate "C") ~ ('^(' || c_whole || ')(-|$)') then
        v_joined := E'\\' || v_joined;
      end if;
    end if;
  end loop;
  return v_joined;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.judged(p_failing text[], p_unknown text[], p_warning text[], p_noted text[], OUT level text, OUT reasons text[])
 RETURNS record
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select case when cardinality(p_failing) > 0 then 'failing'
              when cardinality(p_unknown) > 0 then 'unknown'
              when cardinality(p_warning) > 0 then 'warning'
              else 'ok' end,
         p_failing || p_unknown || p_warning || p_noted
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.keep_messages(p_sink_no integer, p_lane integer, p_kept jsonb, OUT kept bigint[], OUT groups bigint[])
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  with kept as (
    select k.id, k.state, k.attempts, k.delay_ms, k.stage, k.error
      from jsonb_to_recordset(p_kept)
           as k (id bigint, state text, attempts integer, delay_ms double precision, stage text, error text)
  ), stays as (
    insert into millrace_private.delivery_states as e
           (sink_no, id, lane, group_key, state, attempts, due_at, stage, error, parked_at,
            source_table, action, record_pks, committed_at)
    select p_sink_no, m.id, p_lane, m.group_key, k.state, k.attempts,
           case when k.state in ('retrying', 'waiting') then clock_timestamp() + k.delay_ms * interval '1 ms' end,
           k.stage, k.error, case when k.state = 'parked' then clock_timestamp() end,
           m.source_table, m.action::"char", m.record_pks, m.committed_at
      from kept k
      join millrace_private.messages m on m.sink_no = p_sink_no and m.lane = p_lane and m.id = k.id
     where k.state <> 'as_it_was'
        on conflict (sink_no, id) do update
       set state = excluded.state, attempts = excluded.attempts, due_at = excluded.due_at, stage = excluded.stage,
           error = excluded.error, parked_at = excluded.parked_at,
           source_table = excluded.source_table, action = excluded.action, record_pks = excluded.record_pks,
           committed_at = excluded.committed_at
  )
  select array_agg(k.id),
         coalesce(array_agg(m.group_key) filter (where m.group_key is not null), '{}')
         || coalesce(array_agg(m.group_key2) filter (where m.group_key2 is not null), '{}')
    into kept, groups
    from kept k
    left join millrace_private.messages m
           on m.sink_no = p_sink_no and m.lane = p_lane and m.id = k.id and k.state in ('parked', 'held');
  perform millrace_private.record_attempts(p_sink_no, p_kept);
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.key_pattern(p_key text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select case when p_key ~ '^[0-9A-Za-z]' then '["' else '%' end
         || regexp_replace(p_key, '[^0-9A-Za-z]+', '%', 'g')
         || case when p_key ~ '[0-9A-Za-z]$' then '"]' else '%' end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.known_tokens(p_sink_no integer, p_ack_ids text[])
 RETURNS TABLE(token text, ids bigint[])
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  return query
    select a.token, a.ids
      from millrace_private.parse_ack_ids(p_ack_ids) a
     where exists (select from millrace_private.leases l where l.sink_no = p_sink_no and l.token = a.token offset 0)
        or exists (select from millrace_private.delivery_states x
                    where x.sink_no = p_sink_no and x.id = any (a.ids) and x.token = a.token offset 0);
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.last_blocker(p_sink_no integer, p_group bigint, p_before bigint)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT max(b.id) AS max
    FROM (( SELECT g.g AS id
            FROM millrace_private.earlier_in_group(last_blocker.p_sink_no, last_blocker.p_group, last_blocker.p_before) g(g)
          LIMIT 1)
         UNION ALL
         ( SELECT l.l
            FROM millrace_private.earlier_leaving(last_blocker.p_sink_no, last_blocker.p_group, last_blocker.p_before) l(l)
          LIMIT 1)) b;
END

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.latency_bounds()
 RETURNS double precision[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ARRAY[(1)::double precision, (2)::double precision, (3)::double precision, (5)::double precision, (8)::double precision, (12)::double precision, (20)::double precision, (35)::double precision, (60)::double precision, (100)::double precision, (200)::double precision, (500)::double precision, (1000)::double precision, (2000)::double precision, (5000)::double precision, (15000)::double precision, (60000)::double precision, (300000)::double precision, (900000)::double precision, (3600000)::double precision, (14400000)::double precision, (43200000)::double precision, (86400000)::double precision]

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.latency_share(p_latency bigint[], p_share double precision)
 RETURNS double precision
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_bounds constant double precision[] := millrace_private.latency_bounds();
  v_wanted double precision;
  v_count bigint;
  v_upto bigint := 0;
  v_place integer := 0;
  v_lower double precision;
begin
  foreach v_count in array coalesce(p_latency, '{}') loop
    v_upto := v_upto + coalesce(v_count, 0);
  end loop;
  v_wanted := p_share * v_upto;
  v_upto := 0;
  foreach v_count in array coalesce(p_latency, '{}') loop
    v_place := v_place + 1;
    if v_count > 0 then
      v_upto := v_upto + v_count;
      if v_upto >= v_wanted then
        v_lower := coalesce(v_bounds[v_place - 1], 0);
        return round((v_lower + (coalesce(v_bounds[v_place], v_bounds[v_place - 1]) - v_lower)
                                * (v_wanted - (v_upto - v_count)) / v_count)::numeric, 1);
      end if;
    end if;
  end loop;
  return null;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.lease_batches(p_sink_no integer, p_batches integer[], p_visibility interval, p_bytes bigint, OUT tokens text[], OUT sizes integer[], OUT ids bigint[], OUT more boolean, OUT bytes bigint, OUT table_no integer)
 RETURNS record
 LANGUAGE plpgsql
 SET lock_timeout TO '2s'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v record; r record;
  v_now timestamptz; v_until timestamptz;
  v_wanted bigint;
  v_clear integer;
  v_go boolean;
  v_answered text := coalesce(current_setting('millrace.answered', true), '');
begin
  tokens := '{}'; sizes := '{}'; ids := '{}'; more := false;
  v_go := case when v_answered = '' then millrace_private.lock_consumer(p_sink_no, 'turn')
               else v_answered = 'turn ' || p_sink_no or millrace_private.try_lock_consumer(p_sink_no, 'turn') end;
  while v_go and cardinality(sizes) < cardinality(p_batches) loop
    v_now := clock_timestamp();
    v_wanted := p_batches[1];
    if cardinality(p_batches) > 1 then
      select sum(b) into v_wanted from unnest(p_batches[cardinality(sizes) + 1 :]) b;
    end if;
    select n.* into v from millrace_private.next_messages(p_sink_no, v_wanted, v_now) n;
    exit when not found or not v.active or (v.ids is null and not v.is_due);
    if v.bytes > p_bytes and cardinality(sizes) + 1 < cardinality(p_batches) then
      p_batches := p_batches[1 : cardinality(sizes) + 1];
      continue;
    end if;

    -- So many of them may go, seen from the first one.
    v_clear := 0;
    if not v.is_due and v.max_per_group = 1 then
      if v.in_flight + v_wanted > v.max_ack_pending then
        v.in_flight := millrace_private.count_leased(p_sink_no, v_now);
        v.ids := v.ids[1 : greatest(v.max_ack_pending - v.in_flight, 0)::integer];
        exit when cardinality(v.ids) = 0;
      end if;
      v_clear := case when v.has_state then 0 else least(v.blocked - 1, cardinality(v.ids)) end;
      -- (Changed keys are not looked at for each row of many: it would cost small batches as much. Who commits meanwhile comes behind.
      -- Nested: Postgres prepares a subquery anew in each call, also where the condition before it is false.)
      if v_wanted > 8 then
        if exists (select from millrace_private.behind_changed_key(p_sink_no, v.passed_id, v.hi)) then v_clear := 0; end if;
      end if;
    end if;
    if v_clear > 0 and (v_clear = cardinality(v.ids) or v_clear >= p_batches[cardinality(sizes) + 1]) then
      if cardinality(sizes) = 0 and v_clear = cardinality(v.ids) and v.bytes <= p_bytes then
        bytes := v.bytes; table_no := v.table_no;
      end if;
      v_until := v_now + coalesce(p_visibility, v.visibility_timeout);
      if cardinality(p_batches) = 1 then
        ids := v.ids;
        tokens := array[replace(gen_random_uuid()::text, '-', '')];
        sizes := array[v_clear];
        insert into millrace_private.leases (sink_no, token, lo, hi, until, size, remaining, dense, digest)
        values (p_sink_no, tokens[1], v.passed_id, ids[v_clear], v_until, v_clear, v_clear, true, hash_array_extended(ids, 0));
        insert into millrace_private.cursor_log (sink_no, lane, seq, id, in_flight, swept_at)
        values (p_sink_no, 0, v.seq + 1, ids[v_clear], v.in_flight + v_clear, v_now);
        if (v.seq + 1) % 64 = 0 then perform millrace_private.forget_cursors(p_sink_no, v.seq + 1); end if;
        return;
      end if;
      r := millrace_private.lease_ranges(
             p_sink_no, p_batches[cardinality(sizes) + 1 :], v.ids, v_clear, v.passed_id, v.seq, v.in_flight::integer, v_now, v_until);
      ids := ids || v.ids[1 : r.leased];
      tokens := tokens || r.tokens;
      sizes := sizes || r.sizes;
      v_go := v_clear < cardinality(v.ids);
    else
      bytes := null;
      r := millrace_private.lease_in_order(p_sink_no, p_batches[cardinality(sizes) + 1], p_visibility);
      ids := ids || r.ids;
      tokens := array_append(tokens, r.token);
      sizes := sizes || cardinality(r.ids);
      more := r.more;
      v_go := r.token is not null or more;
    end if;
  end loop;
  sizes := sizes || array_fill(0, array[cardinality(p_batches) - cardinality(sizes)]);
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.lease_due(p_sink_no integer, p_limit integer, p_token text, p_now timestamp with time zone, p_until timestamp with time zone)
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  r record;
  v_taken bigint[] := '{}';
  v_held bigint[] := '{}';
  v_gone bigint[] := '{}';
begin
  if p_limit <= 0 then
    return v_taken;
  end if;
  for r in
    select x.id, m.id is null as gone,
           exists (select from millrace_private.blockers(p_sink_no, m.group_key, m.id) offset 0)
           or (m.group_key2 is not null
               and exists (select from millrace_private.blockers(p_sink_no, m.group_key2, m.id) offset 0)) as behind
      from millrace_private.delivery_states x
      left join millrace_private.messages m on m.sink_no = p_sink_no and m.lane = 0 and m.id = x.id
     where x.sink_no = p_sink_no and x.lane = 0 and x.due_at <= p_now
     order by x.due_at, x.id
     limit 1000
  loop
    if r.gone then
      v_gone := v_gone || r.id;
    elsif r.behind then
      v_held := v_held || r.id;
    else
      v_taken := v_taken || r.id;
      exit when cardinality(v_taken) = p_limit;
    end if;
  end loop;
  if cardinality(v_gone) > 0 then
    delete from millrace_private.delivery_states x using unnest(v_gone) g (id) where x.sink_no = p_sink_no and x.id = g.id;
  end if;
  if cardinality(v_held) > 0 then
    update millrace_private.delivery_states x set state = 'held', due_at = null
      from unnest(v_held) h (id) where x.sink_no = p_sink_no and x.id = h.id;
  end if;
  if cardinality(v_taken) > 0 then
    update millrace_private.delivery_states x
       set state = 'leased', token = p_token, attempts = x.attempts + 1, due_at = p_until, stage = null, error = null
      from unnest(v_taken) t (id) where x.sink_no = p_sink_no and x.id = t.id;
  end if;
  return v_taken;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.lease_following(p_sink_no integer, p_ids bigint[], p_cursor bigint, p_max_per_group integer, p_limit integer, p_token text, p_until timestamp with time zone)
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  r record;
  v_taken bigint[] := '{}';
  -- Of all that go, as often as they have one there.
  v_groups bigint[] := array(
    select g.group_key
      from millrace_private.messages m
     cross join lateral unnest(array[m.group_key, m.group_key2]) g (group_key)
     where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (p_ids) and g.group_key is not null);
  v_looked bigint[] := v_groups;
  -- Of messages that stay: nothing behind them goes.
  v_closed bigint[] := '{}';
begin
  for r in
    select distinct on (n.id) n.id, array_remove(array[n.group_key, n.group_key2], null) as groups,
           n.lane = 0
           and (x.state = 'held'
                or x.state is null
                   and not coalesce((select l.lo < n.id and (l.dense or n.id = any (l.ids))
                                       from millrace_private.leases l
                                      where l.sink_no = p_sink_no and l.hi >= n.id order by l.hi limit 1), false)) as may
      from (select distinct k.group_key from unnest(v_groups) k (group_key)) g
     cross join lateral (
           (select m.id, m.lane, m.group_key, m.group_key2
              from millrace_private.messages m
             where m.sink_no = p_sink_no and m.group_key = g.group_key and m.id <= p_cursor
               and not exists (select from millrace_private.parked(p_sink_no, m.id) offset 0)
             order by m.id limit p_max_per_group)
           union all
           (select m.id, m.lane, m.group_key, m.group_key2
              from millrace_private.messages m
             where m.sink_no = p_sink_no and m.group_key2 = g.group_key and m.id <= p_cursor
               and not exists (select from millrace_private.parked(p_sink_no, m.id) offset 0)
             order by m.id limit p_max_per_group)) n
      left join millrace_private.delivery_states x on x.sink_no = p_sink_no and x.id = n.id
     where n.id <> all (p_ids)
     order by n.id
  loop
    exit when cardinality(v_taken) >= p_limit;
    -- What is before it in the groups that were looked through has been here; in its other one it is asked for.
    if not r.may or r.groups && v_closed
       or p_max_per_group <= any (array(
            select cardinality(array_positions(v_groups, k.group_key)) from unnest(r.groups) k (group_key)))
       or exists (select from unnest(r.groups) k (group_key)
                   cross join lateral millrace_private.blockers(p_sink_no, k.group_key, r.id) b (id)
                   where k.group_key <> all (v_looked) and b.id <> all (p_ids || v_taken)) then
      v_closed := v_closed || r.groups;
    else
      v_taken := v_taken || r.id;
      v_groups := v_groups || r.groups;
    end if;
  end loop;
  insert into millrace_private.delivery_states as e (sink_no, id, lane, group_key, state, attempts, due_at, token,
                                                     source_table, action, record_pks, committed_at)
  select p_sink_no, m.id, 0, m.group_key, 'leased', 1, p_until, p_token,
         m.source_table, m.action::"char", m.record_pks, m.committed_at
    from millrace_private.messages m
   where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (v_taken)
      on conflict (sink_no, id) do update
     set state = 'leased', token = excluded.token, attempts = e.attempts + 1, due_at = excluded.due_at, stage = null, error = null;
  return v_taken;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.lease_in_order(p_sink_no integer, p_batch integer, p_visibility interval, OUT token text, OUT ids bigint[], OUT more boolean)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v record;
  v_now timestamptz;
  v_until timestamptz;
  v_batch integer;
  v_share integer;
  v_is_new boolean;
  v_new record;
begin
  ids := '{}';
  more := false;
  if not millrace_private.try_lock_consumer(p_sink_no, 'alone') then
    return;
  end if;
  v_now := clock_timestamp();
  select c.visibility_timeout, c.max_ack_pending, c.max_deliver, c.max_per_group,
         coalesce(k.id, 0) as passed_id, coalesce(k.seq, 0) as seq, coalesce(k.in_flight, 0)::bigint as in_flight,
         case when k.swept_at <= v_now then k.swept_at else '-infinity' end as swept_at
    into v
    from millrace_private.consumers c
    left join lateral (select l.id, l.seq, l.in_flight, l.swept_at
                         from millrace_private.cursor_log l
                        where l.sink_no = p_sink_no and l.lane = 0 order by l.seq desc limit 1) k on true
   where c.sink_no = p_sink_no;
  if not found then
    return;
  end if;
  v_until := v_now + coalesce(p_visibility, v.visibility_timeout);
  perform millrace_private.sweep_leases(p_sink_no, v.max_deliver, v_now, v.swept_at);

  if v.in_flight + p_batch > v.max_ack_pending then
    v.in_flight := millrace_private.count_leased(p_sink_no, v_now);
  end if;
  v_batch := least(p_batch, v.max_ack_pending - v.in_flight);
  if v_batch <= 0 then
    return;
  end if;
  token := replace(gen_random_uuid()::text, '-', '');
  v_is_new := exists (select from millrace_private.messages m
                       where m.sink_no = p_sink_no and m.lane = 0 and m.id > v.passed_id);
  v_share := case when v_is_new then (v_batch + (random() < 0.5)::integer) / 2 else v_batch end;
  ids := millrace_private.lease_due(p_sink_no, v_share, token, v_now, v_until);
  if v.max_per_group > 1 and cardinality(ids) between 1 and v_share - 1 then
    ids := ids || millrace_private.lease_following(
             p_sink_no, ids, v.passed_id, v.max_per_group, v_share - cardinality(ids), token, v_until);
  end if;
  select n.ids, n.hi, n.dense, n.more into v_new
    from millrace_private.lease_new(p_sink_no, v.passed_id, v.max_per_group, v_batch - cardinality(ids)) n;
  more := v_new.more;
  if v_is_new then
    ids := ids || millrace_private.lease_due(
             p_sink_no, v_batch - cardinality(ids) - cardinality(v_new.ids), token, v_now, v_until);
    v_share := v_batch - cardinality(ids) - cardinality(v_new.ids);
    if v.max_per_group > 1 and cardinality(ids) > 0 and v_share > 0 then
      ids := ids || millrace_private.lease_following(
               p_sink_no, ids, v.passed_id, v.max_per_group, v_share, token, v_until);
    end if;
  end if;

  ids := array(select i.id from unnest(ids || v_new.ids) i (id) order by i.id);
  if cardinality(ids) > 0 or v_new.hi > v.passed_id then
    perform millrace_private.write_lease(p_sink_no, token, v.passed_id, v_new.hi, v_until, v_new.ids, v_new.dense,
                                         v.seq + 1, (v.in_flight + cardinality(ids))::integer, v_now);
  end if;
  if cardinality(ids) = 0 then
    token := null;
  end if;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.lease_new(p_sink_no integer, p_cursor bigint, p_max_per_group integer, p_limit integer, OUT ids bigint[], OUT hi bigint, OUT dense boolean, OUT more boolean)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  r record;
  v_passed integer := 0;
  v_groups bigint[] := '{}';
begin
  ids := '{}';
  hi := p_cursor;
  dense := true;
  more := false;
  if p_limit <= 0 then
    return;
  end if;
  for r in
    select m.id, m.group_key, m.group_key2, s.has_state,
           case when not s.has_state then
             (select b.id from millrace_private.last_blocker(p_sink_no, m.group_key, m.id) b (id)) end as before,
           case when not s.has_state and m.group_key2 is not null then
             (select b.id from millrace_private.last_blocker(p_sink_no, m.group_key2, m.id) b (id)) end as before2
      from millrace_private.messages m
     cross join lateral (select exists (select from millrace_private.delivery_states x
                                         where x.sink_no = p_sink_no and x.id = m.id offset 0) as has_state offset 0) s
     where m.sink_no = p_sink_no and m.lane = 0 and m.id > p_cursor
     order by m.id
  loop
    if r.has_state
       or r.before is not null and (p_max_per_group = 1 or r.before <> all (ids))
       or r.before2 is not null and (p_max_per_group = 1 or r.before2 <> all (ids))
       or r.before is not null and cardinality(array_positions(v_groups, r.group_key)) >= p_max_per_group
       or r.before2 is not null and cardinality(array_positions(v_groups, r.group_key2)) >= p_max_per_group then
      more := v_passed >= 1000;
      exit when more;
      v_passed := v_passed + 1;
    else
      ids := ids || r.id;
      if p_max_per_group > 1 then
        v_groups := v_groups || array[r.group_key, r.group_key2];
      end if;
    end if;
    hi := r.id;
    exit when cardinality(ids) = p_limit;
  end loop;
  dense := v_passed = 0;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.lease_ranges(p_sink_no integer, p_batches integer[], p_ids bigint[], p_clear integer, p_passed_id bigint, p_seq bigint, p_in_flight integer, p_now timestamp with time zone, p_until timestamp with time zone, OUT tokens text[], OUT sizes integer[], OUT leased integer)
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_ids bigint[];
  v_los bigint[] := '{}';
  v_his bigint[] := '{}';
  v_digests bigint[] := '{}';
begin
  tokens := '{}';
  sizes := '{}';
  leased := 0;
  for v_place in 1 .. cardinality(p_batches) loop
    exit when leased = p_clear or (leased + p_batches[v_place] > p_clear and p_clear < cardinality(p_ids));
    v_ids := p_ids[leased + 1 : leased + p_batches[v_place]];
    leased := leased + cardinality(v_ids);
    tokens := tokens || replace(gen_random_uuid()::text, '-', '');
    sizes := sizes || cardinality(v_ids);
    v_los := v_los || case when v_place = 1 then p_passed_id else v_his[v_place - 1] end;
    v_his := v_his || p_ids[leased];
    v_digests := v_digests || hash_array_extended(v_ids, 0);
  end loop;
  insert into millrace_private.leases (sink_no, token, lo, hi, until, size, remaining, dense, digest)
  select p_sink_no, l.token, l.lo, l.hi, p_until, l.size, l.size, true, l.digest
    from unnest(tokens, v_los, v_his, sizes, v_digests) l (token, lo, hi, size, digest);
  insert into millrace_private.cursor_log (sink_no, lane, seq, id, in_flight, swept_at)
  values (p_sink_no, 0, p_seq + 1, p_ids[leased], p_in_flight + leased, p_now);
  if (p_seq + 1) % 64 = 0 then
    perform millrace_private.forget_cursors(p_sink_no, p_seq + 1);
  end if;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.leased_message(m millrace_private.messages, p_token text, p_table text, p_sink text, p_open text, p_close text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (((((('{"ack_id":"'::text || p_token) || '-'::text) || (m).id) || '",'::text) || CASE WHEN ((m).payload IS NOT NULL) THEN ('"data":'::text || (m).payload) ELSE ((p_open || millrace_private.message_members(m, p_table, p_sink)) || p_close) END) || '}'::text)

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.level_number(p_level text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
RETURN (array_position('{ok,warning,unknown,failing}'::text[], p_level) - 1)

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.limit_idling()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if current_setting('idle_in_transaction_session_timeout')::interval not between interval '1 ms' and interval '30 s' then
    perform set_config('idle_in_transaction_session_timeout', '30s', true);
  end if;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.lock_consumer(p_sink_no integer, p_what text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    perform millrace_private.require_read_committed();
  end if;
  if p_what = 'turn' then
    execute 'lock table millrace_private.turn_' || p_sink_no || ' in share update exclusive mode';
  elsif p_what = 'shared' then
    execute 'lock table millrace_private.lock_' || p_sink_no || ' in row exclusive mode';
  else
    execute 'lock table millrace_private.lock_' || p_sink_no || ' in exclusive mode';
  end if;
  return true;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.lock_groups(p_sink_no integer, p_groups bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_bucket smallint;
begin
  for v_bucket in
    select distinct (hashint8extended(g.group_key, p_sink_no) & 255)::smallint from unnest(p_groups) g (group_key) order by 1
  loop
    insert into millrace_private.group_locks (sink_no, bucket) values (p_sink_no, v_bucket) on conflict do nothing;
    perform from millrace_private.group_locks k where k.sink_no = p_sink_no and k.bucket = v_bucket for no key update;
  end loop;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.lock_lease(p_sink_no integer, p_token text, OUT place tid, OUT lo bigint, OUT hi bigint, OUT dense boolean, OUT ids bigint[])
 RETURNS record
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  select l.ctid, l.lo, l.hi, l.dense, l.ids into place, lo, hi, dense, ids
    from millrace_private.leases l
   where l.sink_no = p_sink_no and l.token >= p_token and l.token <= p_token
   order by l.token limit 1 for update;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.look_at_messages(p_sink_no integer, p_begin bigint, p_looked integer, p_is_newest boolean, p_state text, p_filter jsonb)
 RETURNS TABLE(id bigint, lane smallint, place bigint, fits boolean)
 LANGUAGE plpgsql
 STABLE ROWS 10
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
declare
  v_tables constant integer[] := array(select t.no from millrace_private.source_tables t
                                        where t.schema_name || '.' || t.table_name = p_filter ->> 'table');
  v_any_table constant boolean := p_filter ->> 'table' is null;
  v_key constant text := millrace_private.key_pattern(p_filter ->> 'key');
  v_action constant text := p_filter ->> 'action';
  v_since constant timestamptz := p_filter ->> 'since';
  v_until constant timestamptz := p_filter ->> 'until';
  v_error constant text := p_filter ->> 'error';
  v_group constant text := p_filter ->> 'group';
  -- What nothing is known to be wrong with has the error of the circuit.
  v_is_of_circuit constant boolean := coalesce(
    (select (v_error is null or position(lower(v_error) in lower(c.error)) > 0)
            and (v_group is null or millrace_private.error_group(i.mark, null, c.error) = v_group)
       from millrace_private.circuits c cross join millrace_private.installation i where c.sink_no = p_sink_no),
    v_error is null and v_group is null);
  v_passed constant bigint := case when p_state in ('leased', 'held') then coalesce(
    (select c.id from millrace_private.cursor_log c join millrace_private.sinks s on s.no = c.sink_no
      where c.sink_no = p_sink_no and c.lane = 0 and s.receivable order by c.seq desc limit 1), 0) end;
  v_last constant bigint := case when v_passed is null then 9223372036854775806
    else greatest(v_passed, (select max(x.id) from millrace_private.delivery_states x where x.sink_no = p_sink_no)) end;
begin
  return query
  with looked as (
    select m.*, row_number() over (order by m.rank) as place, lead(m.rank) over (order by m.rank) is null as is_last
      from (select e.*
              from (select k.lane from millrace_private.lanes k where k.sink_no = p_sink_no union select 0::smallint) l
             cross join lateral (
               (select o.id, o.lane, o.source_table, o.record_pks, o.action, o.committed_at, o.id as rank
                  from millrace_private.messages o
                 where not p_is_newest and o.sink_no = p_sink_no and o.lane = l.lane and o.id > p_begin and o.id <= v_last
                 order by o.id limit p_looked)
               union all
               (select o.id, o.lane, o.source_table, o.record_pks, o.action, o.committed_at, -o.id
                  from millrace_private.messages o
                 where p_is_newest and o.sink_no = p_sink_no and o.lane = l.lane and o.id < least(p_begin, v_last + 1)
                 order by o.id desc limit p_looked)) e
             order by e.rank limit p_looked) m
  ), asked as (
    select k.id, k.lane, k.place, k.is_last,
           (v_any_table or k.source_table = any (v_tables)) and (v_key is null or k.record_pks like v_key)
           and (v_action is null or k.action = v_action) and (v_since is null or k.committed_at >= v_since)
           and (v_until is null or k.committed_at < v_until)
           and (v_is_of_circuit and (v_passed is null or k.lane = 0 and k.id <= v_passed)
                or exists (select from millrace_private.delivery_states x where x.sink_no = p_sink_no and x.id = k.id)) as fits
      from looked k
  )
  select a.id, a.lane, a.place, a.fits from asked a where a.fits or a.is_last;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.look_at_states(p_sink_no integer, p_begin bigint, p_looked integer, p_is_newest boolean, p_states text[], p_filter jsonb)
 RETURNS TABLE(id bigint, lane smallint, place bigint, fits boolean)
 LANGUAGE plpgsql
 STABLE ROWS 10
 SET plan_cache_mode TO 'force_custom_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
#variable_conflict use_column
declare
  v_error constant text := lower(p_filter ->> 'error');
  v_group constant text := p_filter ->> 'group';
  v_tables constant integer[] := array(select t.no from millrace_private.source_tables t
                                        where t.schema_name || '.' || t.table_name = p_filter ->> 'table');
  v_any_table constant boolean := p_filter ->> 'table' is null;
  v_key constant text := millrace_private.key_pattern(p_filter ->> 'key');
  v_action constant "char" := (p_filter ->> 'action')::"char";
  v_since constant timestamptz := p_filter ->> 'since';
  v_until constant timestamptz := p_filter ->> 'until';
  v_is_alone constant boolean := v_any_table and v_key is null and v_action is null and v_since is null and v_until is null;
  v_circuit constant text := (select c.error from millrace_private.circuits c where c.sink_no = p_sink_no);
  v_mark constant uuid := (select i.mark from millrace_private.installation i);
begin
  return query
  with looked as (
    select e.*, row_number() over (order by e.rank) as place, lead(e.rank) over (order by e.rank) is null as is_last
      from ((select x.*, x.id as rank
               from millrace_private.delivery_states x
              where not p_is_newest and x.sink_no = p_sink_no and x.id > p_begin and (p_states is null or x.state = any (p_states))
              order by x.id limit p_looked)
             union all
            (select x.*, -x.id
               from millrace_private.delivery_states x
              where p_is_newest and x.sink_no = p_sink_no and x.id < p_begin and (p_states is null or x.state = any (p_states))
              order by x.id desc limit p_looked)) e
  ), asked as (
    select k.id, k.lane, k.place, k.is_last,
           (v_error is null or position(v_error in lower(coalesce(k.error, v_circuit))) > 0)
           and (v_is_alone
                or case when k.source_table is not null then
                     (v_any_table or k.source_table = any (v_tables)) and (v_key is null or k.record_pks like v_key)
                     and (v_action is null or k.action = v_action) and (v_since is null or k.committed_at >= v_since)
                     and (v_until is null or k.committed_at < v_until)
                   else exists (select from millrace_private.messages m
                                 where m.sink_no = p_sink_no and m.lane = k.lane and m.id = k.id
                                   and (v_any_table or m.source_table = any (v_tables))
                                   and (v_key is null or m.record_pks like v_key)
                                   and (v_action is null or m.action::"char" = v_action)
                                   and (v_since is null or m.committed_at >= v_since)
                                   and (v_until is null or m.committed_at < v_until)) end)
           and (v_group is null
                or millrace_private.error_group(v_mark, k.stage, coalesce(k.error, v_circuit)) = v_group) as fits
      from looked k
  )
  select a.id, a.lane, a.place, a.fits from asked a where a.fits or a.is_last;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.look_through(p_sink_no integer, p_begin bigint, p_looked integer, p_is_newest boolean, p_state text, p_filter jsonb)
 RETURNS TABLE(id bigint, lane smallint, place bigint, fits boolean)
 LANGUAGE plpgsql
 STABLE ROWS 10
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if p_state in ('parked', 'retrying')
     or p_state in ('held', 'leased') and not (select s.receivable from millrace_private.sinks s where s.no = p_sink_no)
     or (p_filter ->> 'error' is not null or p_filter ->> 'group' is not null)
        and not exists (select from millrace_private.circuits c where c.sink_no = p_sink_no) then
    return query select w.id, w.lane, w.place, w.fits
                   from millrace_private.look_at_states(
                          p_sink_no, p_begin, p_looked, p_is_newest, case when p_state is not null then array[p_state] end, p_filter) w;
  else
    return query select w.id, w.lane, w.place, w.fits
                   from millrace_private.look_at_messages(p_sink_no, p_begin, p_looked, p_is_newest, p_state, p_filter) w;
  end if;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.message_members(m millrace_private.messages, p_table text, p_sink text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN ((((((('"record":'::text || (m).record) || ',"changes":'::text) || COALESCE((m).changes, 'null'::text)) || ',"action":"'::text) || (m).action) || '","metadata":'::text) || millrace_private.metadata_text(m, p_table, p_sink))

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.message_text(m millrace_private.messages, p_table text, p_sink text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN COALESCE((m).payload, (('{'::text || millrace_private.message_members(m, p_table, p_sink)) || '}'::text))

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.metadata_text(m millrace_private.messages, p_table text, p_sink text)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN ((((((((((((((((('{'::text || p_table) || ',"commit_timestamp":"'::text) || to_char(((m).committed_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text)) || '","commit_lsn":'::text) || (m).commit_lsn) || ',"commit_idx":'::text) || (m).commit_idx) || ',"idempotency_key":"'::text) || (m).id) || '","record_pks":'::text) || (m).record_pks) || ',"transaction_annotations":'::text) || COALESCE((m).annotations, 'null'::text)) || COALESCE((',"unchanged_toast":'::text || (m).unchanged_toast), ''::text)) || ','::text) || p_sink) || '}'::text)

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.missed_codes()
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
RETURN ARRAY['truncated'::text, 'table_detached'::text, 'added_late'::text, 'changes_left_out'::text, 'capture_switched_off'::text, 'key_changed'::text]

grant execute to public

CREATE OR REPLACE PROCEDURE millrace_private.move_backfill(IN p_no integer, IN p_position jsonb, IN p_done bigint, IN p_sent bigint, IN p_ended boolean)
 LANGUAGE sql
AS $procedure$
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
     and n.code = any (millrace_private.missed_codes()) -- All that is named below: the index finds them, and not all of the sink.
     and n.created_at < b.created_at
     and (n.code = 'added_late' or n.code in ('table_detached', 'changes_left_out', 'capture_switched_off', 'key_changed') and not s.readable
          or b.resync and n.code = any (millrace_private.missed_codes()))
$procedure$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.move_cursor(p_sink_no integer, p_lane integer, p_seq bigint, p_id bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  insert into millrace_private.cursor_log (sink_no, lane, seq, id) values (p_sink_no, p_lane, p_seq, p_id);
  if p_seq % 64 = 0 then
    delete from millrace_private.cursor_log c
     where c.sink_no = p_sink_no and c.lane = p_lane and c.seq < p_seq and c.seq >= p_seq - 128;
  end if;
end
$function$

grant execute to public

CREATE OR REPLACE PROCEDURE millrace_private.move_on(IN p_database_no integer, IN p_generation bigint, IN p_catalog bigint, IN p_from_lsn pg_lsn, IN p_from_idx bigint, IN p_from_confirmed pg_lsn, IN p_commit_lsn pg_lsn, IN p_commit_idx bigint, IN p_confirmed_lsn pg_lsn, IN p_next_id bigint)
 LANGUAGE plpgsql
AS $procedure$
begin
  if (select (l.commit_lsn, l.commit_idx, l.confirmed_lsn) is distinct from (p_from_lsn, p_from_idx, p_from_confirmed)
        from millrace_private.position_log l where l.database_no = p_database_no order by l.seq desc limit 1) is not false then
    raise exception 'the position is not where this capture left it' using errcode = 'MR002';
  end if;
  call millrace_private.move_position(
    p_database_no, p_generation, p_catalog, p_commit_lsn, p_commit_idx, p_confirmed_lsn, p_next_id);
end
$procedure$

grant execute to public

CREATE OR REPLACE PROCEDURE millrace_private.move_position(IN p_database_no integer, IN p_generation bigint, IN p_catalog bigint, IN p_commit_lsn pg_lsn, IN p_commit_idx bigint, IN p_confirmed_lsn pg_lsn, IN p_next_id bigint)
 LANGUAGE plpgsql
AS $procedure$
declare
  v_epoch integer;
  v_seq bigint;
begin
  lock table millrace_private.lock_catalog in row share mode;
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
$procedure$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.next_due(p_sink_no integer, p_lane integer)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select least((select l.until from millrace_private.leases l
                 where l.sink_no = p_sink_no and p_lane = 0
                   and l.until > coalesce((select c.swept_at from millrace_private.cursor_log c
                                            where c.sink_no = p_sink_no and c.lane = 0 order by c.seq desc limit 1), '-infinity')
                 order by l.until limit 1),
               (select x.due_at from millrace_private.delivery_states x
                 where x.sink_no = p_sink_no and x.lane = p_lane and x.due_at is not null order by x.due_at limit 1))
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.next_messages(p_sink_no integer, p_batch bigint, p_now timestamp with time zone)
 RETURNS TABLE(active boolean, visibility_timeout interval, max_ack_pending integer, max_per_group integer, passed_id bigint, seq bigint, in_flight bigint, is_due boolean, ids bigint[], blocked integer, hi bigint, bytes bigint, table_no integer, has_state boolean)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT c.active,
     c.visibility_timeout,
     c.max_ack_pending,
     c.max_per_group,
     COALESCE(k.id, (0)::bigint) AS "coalesce",
     COALESCE(k.seq, (0)::bigint) AS "coalesce",
     (COALESCE(k.in_flight, 0))::bigint AS "coalesce",
     (COALESCE(( SELECT true
            FROM millrace_private.leases l
           WHERE ((l.sink_no = next_messages.p_sink_no) AND (l.until <= next_messages.p_now) AND (l.until > COALESCE(k.swept_at, '-infinity'::timestamp with time zone)))
           ORDER BY l.until
          LIMIT 1), false) OR COALESCE(( SELECT true
            FROM millrace_private.delivery_states x
           WHERE ((x.sink_no = next_messages.p_sink_no) AND (x.lane = 0) AND (x.due_at <= next_messages.p_now))
           ORDER BY x.due_at
          LIMIT 1), false)),
     b.ids,
     b.blocked,
     b.hi,
     b.bytes,
     b.table_no,
     COALESCE(( SELECT true
            FROM millrace_private.delivery_states x
           WHERE ((x.sink_no = next_messages.p_sink_no) AND (x.id > COALESCE(k.id, (0)::bigint)) AND (x.id <= b.hi))
           ORDER BY x.id
          LIMIT 1), false) AS "coalesce"
    FROM ((millrace_private.consumers c
      LEFT JOIN LATERAL ( SELECT l.id,
             l.seq,
             l.in_flight,
                 CASE
                     WHEN (l.swept_at > next_messages.p_now) THEN '-infinity'::timestamp with time zone
                     ELSE l.swept_at
                 END AS swept_at
            FROM millrace_private.cursor_log l
           WHERE ((l.sink_no = next_messages.p_sink_no) AND (l.lane = 0))
           ORDER BY l.seq DESC
          LIMIT 1) k ON (true))
      LEFT JOIN LATERAL ( SELECT array_agg(f.id) AS ids,
             array_position(array_agg(f.may), false) AS blocked,
             max(f.id) AS hi,
             sum(f.bytes) AS bytes,
                 CASE
                     WHEN (min(f.source_table) = max(f.source_table)) THEN min(f.source_table)
                     ELSE NULL::integer
                 END AS table_no
            FROM ( SELECT m.id,
                     m.source_table,
                     ((octet_length(m.record) + COALESCE(octet_length(m.changes), 0)) + COALESCE(octet_length(m.payload), 0)) AS bytes,
                     ((m.group_key2 IS NULL) AND (NOT (EXISTS ( SELECT
                            FROM millrace_private.messages e
                           WHERE ((e.sink_no = next_messages.p_sink_no) AND (e.group_key = m.group_key) AND (e.id < m.id))))) AND ((next_messages.p_batch > 8) OR (NOT (EXISTS ( SELECT
                            FROM millrace_private.messages e
                           WHERE ((e.sink_no = next_messages.p_sink_no) AND (e.group_key2 = m.group_key) AND (e.id < m.id))))))) AS may
                    FROM millrace_private.messages m
                   WHERE ((m.sink_no = next_messages.p_sink_no) AND (m.lane = 0) AND (m.id > COALESCE(k.id, (0)::bigint)))
                   ORDER BY m.id
                  LIMIT next_messages.p_batch) f) b ON (true))
   WHERE (c.sink_no = next_messages.p_sink_no);
END

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.operation_backfills(p_id uuid)
 RETURNS SETOF uuid
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  with asked as (
    select b.no, b.id, b.kind, b.sink_no, b.ended_at
      from millrace_private.backfills b
     where b.id = p_id
        or b.id in (select k.id::uuid from millrace_private.operations o,
                           jsonb_array_elements_text(coalesce(o.kept -> 'backfills', '[]')) k(id) where o.id = p_id)
  )
  select b.id from millrace_private.backfills b join asked a on a.id = b.id
   where b.state in ('waiting', 'running', 'paused', 'failed')
   union
  select c.id from asked a
    join millrace_private.backfills c on c.sink_no = a.sink_no and c.kind = 'table'
   where a.kind = 'all' and a.ended_at is not null and c.created_at <= a.ended_at + interval '1 s'
     and (c.no > a.no or c.ended_at is null or c.ended_at >= a.ended_at)
     and c.state in ('waiting', 'running', 'paused', 'failed')
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.operation_state(p_id uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_state text;
begin
  select o.state into v_state from millrace_private.operations o where o.id = p_id;
  if v_state is null and not exists (select from millrace_private.backfills b where b.id = p_id) then
    raise exception 'there is no operation %', p_id using errcode = 'MR404', hint = 'select id from millrace.operation_status';
  end if;
  return v_state;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.park_spent(p_sink_no integer, p_token text, p_ids bigint[])
 RETURNS bigint[]
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_groups bigint[];
begin
  with parked as (
    update millrace_private.delivery_states x
       set state = 'parked', due_at = null, parked_at = clock_timestamp()
     where x.sink_no = p_sink_no and x.id = any (p_ids) and x.lane = 0 and x.token = p_token
       and x.state = 'retrying'
       and x.attempts >= (select c.max_deliver from millrace_private.consumers c where c.sink_no = p_sink_no)
    returning x.id
  )
  select array_agg(g.group_key) filter (where g.group_key is not null) into v_groups
    from millrace_private.messages m
   cross join lateral unnest(array[m.group_key, m.group_key2]) g (group_key)
   where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (array(select p.id from parked p));
  return v_groups;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.parked(p_sink_no integer, p_id bigint)
 RETURNS SETOF bigint
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT p.id
    FROM ( SELECT x.id,
             x.state
            FROM millrace_private.delivery_states x
           WHERE ((x.sink_no = parked.p_sink_no) AND (x.id = parked.p_id))
          OFFSET 0) p
   WHERE (p.state = 'parked'::text);
END

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.parse_ack_ids(p_ack_ids text[])
 RETURNS TABLE(token text, ids bigint[])
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_token text := left(p_ack_ids[1], 32);
  v_all text := array_to_string(p_ack_ids, ',');
  v_ids text := replace(v_all, v_token || '-', '');
begin
  if octet_length(v_all) - octet_length(v_ids) = 33 * cardinality(p_ack_ids)
     and v_ids ~ '^[0-9]{1,18}(,[0-9]{1,18})*$'
     and octet_length(v_ids) - octet_length(replace(v_ids, ',', '')) = cardinality(p_ack_ids) - 1 then
    if cardinality(p_ack_ids) = 1 then
      token := v_token;
      ids := array[v_ids::bigint];
      return next;
      return;
    end if;
    return query select v_token, array_agg(distinct i.id) from unnest(('{' || v_ids || '}')::bigint[]) i (id);
    return;
  end if;
  return query
    select left(a, 32), array_agg(distinct substr(a, 34)::bigint)
      from unnest(p_ack_ids) a
     where length(a) between 34 and 51 and substr(a, 33, 1) = '-'
       and translate(substr(a, 34), '0123456789', '') = ''
     group by left(a, 32)
     order by left(a, 32);
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.patience()
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select case when current_setting('millrace.answered', true) <> ''
              then least(300, extract(epoch from current_setting('deadlock_timeout')::interval) * 400)::integer::text || 'ms'
              else '2s' end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.pk_text(p_record_pks text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select millrace_private.joined_key(array_agg(k.value order by k.place))
    from json_array_elements_text(p_record_pks::json) with ordinality k (value, place)
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.publish_catalog()
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_generation bigint;
begin
  perform millrace_private.limit_idling();
  lock table millrace_private.lock_catalog in exclusive mode;
  perform millrace_private.refresh_metadata();
  update millrace_private.catalog_state set generation = generation + 1 returning generation into v_generation;
  perform pg_notify('millrace_catalog', v_generation::text);
  return v_generation;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.put_back(p_sink_no integer, p_what text, p_ack_ids text[], p_delay interval)
 RETURNS integer
 LANGUAGE plpgsql
 SET lock_timeout TO '10s'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  -- (A value that the planner does not know: it would take the index of all that is leased, and read that for each token.)
  c_leased constant text := 'leased';
  c_state constant text := case p_what when 'nack' then 'retrying' when 'extend' then 'leased' else 'waiting' end;
  c_stage constant text := case p_what when 'nack' then 'receive' end;
  c_error constant text := case p_what when 'nack' then 'given back by the client' end;
  t record;
  v_lease record;
  v_due_at timestamptz;
  v_taken integer;
  v_count integer := 0;
  v_groups bigint[] := '{}';
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    perform millrace_private.require_read_committed();
  end if;
  if not millrace_private.try_lock_consumer(p_sink_no, 'shared') then
    return 0;
  end if;
  -- Until the end of the transaction: see try_lock_consumer.
  perform set_config('millrace.answered', 'yes', true);
  v_due_at := clock_timestamp() + p_delay;
  for t in select k.token, k.ids from millrace_private.known_tokens(p_sink_no, p_ack_ids) k loop
    -- Those still on the straight path: in the lease, and without a state.
    v_taken := 0;
    select l.place, l.lo, l.hi, l.dense, l.ids into v_lease from millrace_private.lock_lease(p_sink_no, t.token) l;
    if v_lease.place is not null then
      insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, due_at, token, stage, error,
                                                    source_table, action, record_pks, committed_at)
      select p_sink_no, m.id, 0, m.group_key, c_state, (p_what <> 'release')::integer, v_due_at, t.token, c_stage, c_error,
             m.source_table, m.action::"char", m.record_pks, m.committed_at
        from millrace_private.messages m
       where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (t.ids)
         and m.id > v_lease.lo and m.id <= v_lease.hi and (v_lease.dense or m.id = any (v_lease.ids))
          on conflict (sink_no, id) do nothing;
      get diagnostics v_taken = row_count;
      if v_taken > 0 then
        perform millrace_private.shrink_lease(v_lease.place, v_taken);
      end if;
      v_count := v_count + v_taken;
    end if;

    -- Those that this token was the last to hold; the ones above are among them, and are as they should be.
    if v_taken < cardinality(t.ids) then
      update millrace_private.delivery_states x
         set state = c_state, attempts = x.attempts - (p_what = 'release')::integer, due_at = v_due_at,
             stage = c_stage, error = c_error
       where x.sink_no = p_sink_no and x.id = any (t.ids) and x.lane = 0 and x.token = t.token
         and x.state = c_leased and x.due_at is distinct from v_due_at;
      get diagnostics v_taken = row_count;
      v_count := v_count + v_taken;
    end if;
    if p_what = 'nack' then
      v_groups := v_groups || millrace_private.park_spent(p_sink_no, t.token, t.ids);
    end if;
  end loop;
  if cardinality(v_groups) > 0 then
    perform millrace_private.free_groups(p_sink_no, v_groups);
  end if;
  return v_count;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.ranges_of(p_sink_no integer, p_tokens text[], p_los bigint[], p_his bigint[], p_table_no integer, p_nested boolean)
 RETURNS TABLE(place bigint, messages text)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT c.place,
     t.messages
    FROM (UNNEST(ranges_of.p_tokens, ranges_of.p_los, ranges_of.p_his) WITH ORDINALITY c(token, lo, hi, place)
      CROSS JOIN LATERAL ( SELECT string_agg(m.message, ','::text) AS messages
            FROM ( SELECT millrace_private.leased_message(o.*, c.token, COALESCE(( SELECT t_1.metadata
                            FROM millrace_private.source_tables t_1
                           WHERE (t_1.no = ranges_of.p_table_no)), ( SELECT t_1.metadata
                            FROM millrace_private.source_tables t_1
                           WHERE (t_1.no = o.source_table))), ( SELECT s.metadata
                            FROM millrace_private.sinks s
                           WHERE (s.no = ranges_of.p_sink_no)),
                         CASE
                             WHEN ranges_of.p_nested THEN '"data":{'::text
                             ELSE ''::text
                         END,
                         CASE
                             WHEN ranges_of.p_nested THEN '}'::text
                             ELSE ''::text
                         END) AS message
                    FROM millrace_private.messages o
                   WHERE ((o.sink_no = ranges_of.p_sink_no) AND (o.lane = 0) AND (o.id >= c.lo) AND (o.id <= c.hi))
                   ORDER BY o.id) m) t);
END

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.read_leases(p_sink_no integer, p_tokens text[], p_sizes integer[], p_ids bigint[], p_nested boolean, p_bytes bigint, OUT messages text, OUT sent integer[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_ids bigint[];
  v_text text;
  v_last bigint;
  v_sent integer;
  v_texts text[] := '{}';
  v_before integer := 0;
begin
  sent := '{}';
  for v_place in 1 .. cardinality(p_sizes) loop
    v_ids := p_ids[v_before + 1 : v_before + p_sizes[v_place]];
    v_before := v_before + p_sizes[v_place];
    v_sent := 0;
    if cardinality(v_ids) > 0 then
      v_text := null;
      if p_bytes > 0 then
        select m.messages, m.last_id into v_text, v_last
          from millrace_private.read_messages(p_sink_no, p_tokens[v_place], v_ids, p_nested, p_bytes) m;
        v_sent := (select count(*) from unnest(v_ids) i where i <= v_last);
        p_bytes := p_bytes - coalesce(octet_length(v_text), 0);
      end if;
      v_texts := v_texts || coalesce(v_text, '');
    end if;
    sent := sent || v_sent;
  end loop;
  messages := array_to_string(v_texts, chr(30));
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.read_messages(p_sink_no integer, p_token text, p_ids bigint[], p_nested boolean, p_bytes bigint, OUT messages text, OUT count integer, OUT last_id bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_ids bigint[] := p_ids;
  v_found bigint[];
  v_bytes bigint;
  v_first integer;
  v_last integer;
  v_sink text := (select s.metadata from millrace_private.sinks s where s.no = p_sink_no);
  v_table text;
begin
  -- The sizes first: a batch of large rows must fill nobody's memory. Nearly always a batch is every row between its first
  -- and its last, and most often of one table: then its rows are read by range, and nothing is looked up for each.
  select array_agg(m.id), sum(m.bytes), min(m.source_table), max(m.source_table)
    into v_found, v_bytes, v_first, v_last
    from (select o.id, o.source_table,
                 octet_length(o.record) + coalesce(octet_length(o.changes), 0) + coalesce(octet_length(o.payload), 0)
                   as bytes
            from millrace_private.messages o
           where o.sink_no = p_sink_no and o.lane = 0
             and o.id >= p_ids[1] and o.id <= p_ids[cardinality(p_ids)]
           order by o.id limit cardinality(p_ids) + 1) m;
  if v_found = p_ids and v_bytes <= p_bytes then
    if v_first = v_last then
      select t.metadata into v_table from millrace_private.source_tables t where t.no = v_first;
    end if;
    select string_agg('{"ack_id":"' || p_token || '-' || m.id || '",' || m.body || '}', ','), count(*), max(m.id)
      into messages, count, last_id
      from (select o.id,
                   case when p_nested or o.payload is not null
                        then '"data":' || millrace_private.message_text(o, coalesce(v_table,
                               (select t.metadata from millrace_private.source_tables t where t.no = o.source_table)), v_sink)
                        else millrace_private.message_members(o, coalesce(v_table,
                               (select t.metadata from millrace_private.source_tables t where t.no = o.source_table)), v_sink)
                   end as body
              from millrace_private.messages o
             where o.sink_no = p_sink_no and o.lane = 0
               and o.id >= p_ids[1] and o.id <= p_ids[cardinality(p_ids)]
             order by o.id) m;
    return;
  end if;
  if cardinality(p_ids) > 1 and (v_found = p_ids or (
      select sum(m.bytes)
        from unnest(p_ids) i (id)
       cross join lateral (select octet_length(o.record) + coalesce(octet_length(o.changes), 0)
                                  + coalesce(octet_length(o.payload), 0) as bytes
                             from millrace_private.messages o
                            where o.sink_no = p_sink_no and o.lane = 0 and o.id = i.id limit 1) m) > p_bytes) then
    select array_agg(r.id) into v_ids
      from (select i.id, i.place, sum(m.bytes) over (order by i.place) as bytes
              from unnest(p_ids) with ordinality i (id, place)
             cross join lateral (select octet_length(o.record) + coalesce(octet_length(o.changes), 0)
                                        + coalesce(octet_length(o.payload), 0) as bytes
                                   from millrace_private.messages o
                                  where o.sink_no = p_sink_no and o.lane = 0 and o.id = i.id limit 1) m) r
     where r.bytes <= p_bytes or r.place = 1;
  end if;
  select string_agg('{"ack_id":"' || p_token || '-' || i.id || '",' || m.body || '}', ',' order by i.id),
         count(*), max(i.id)
    into messages, count, last_id
    from unnest(v_ids) i (id)
   cross join lateral (select case when p_nested or o.payload is not null
                                   then '"data":' || millrace_private.message_text(o, t.metadata, s.metadata)
                                   else millrace_private.message_members(o, t.metadata, s.metadata) end as body
                         from millrace_private.messages o
                         join millrace_private.source_tables t on t.no = o.source_table
                         join millrace_private.sinks s on s.no = o.sink_no
                        where o.sink_no = p_sink_no and o.lane = 0 and o.id = i.id limit 1) m;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.read_ranges(p_sink_no integer, p_tokens text[], p_sizes integer[], p_ids bigint[], p_table_no integer, p_nested boolean)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_open text := case when p_nested then '"data":{' else '' end;
  v_close text := case when p_nested then '}' else '' end;
  v_los bigint[] := '{}';
  v_his bigint[] := '{}';
  v_before integer := 0;
begin
  for v_place in 1 .. cardinality(p_tokens) loop
    v_los := v_los || p_ids[v_before + 1];
    v_before := v_before + p_sizes[v_place];
    v_his := v_his || p_ids[v_before];
  end loop;
  -- (One expression for every kind of body: Postgres prepares each of them anew in every call, also those that it does not need. For
  -- one client by itself: gathered once more, a batch of 1,000 took half as long again.)
  if cardinality(p_tokens) = 1 then
    return (
      select string_agg(m.message, ',')
        from (select millrace_private.leased_message(o, p_tokens[1],
                       coalesce((select t.metadata from millrace_private.source_tables t where t.no = p_table_no),
                                (select t.metadata from millrace_private.source_tables t where t.no = o.source_table)),
                       (select s.metadata from millrace_private.sinks s where s.no = p_sink_no), v_open, v_close) as message
                from millrace_private.messages o
               where o.sink_no = p_sink_no and o.lane = 0 and o.id >= v_los[1] and o.id <= v_his[1]
               order by o.id) m);
  end if;
  return (select string_agg(r.messages, chr(30) order by r.place)
            from millrace_private.ranges_of(p_sink_no, p_tokens, v_los, v_his, p_table_no, p_nested) r);
end
$function$

grant execute to public

CREATE OR REPLACE PROCEDURE millrace_private.receive_batches(IN p_sink_no integer, IN p_batches integer[], IN p_nested boolean, IN p_bytes bigint, IN p_ack_tokens text[], IN p_ack_ids text[], INOUT acked integer[], INOUT committed text, INOUT tokens text[], INOUT sizes integer[], INOUT sent integer[], INOUT ids bigint[], INOUT messages text, INOUT more boolean, INOUT due_in_ms double precision)
 LANGUAGE plpgsql
AS $procedure$
declare
  v_is_apart boolean;
  v_table_no integer;
begin
  call millrace_private.receive_together(p_sink_no, p_batches, p_nested, p_bytes, p_ack_tokens, p_ack_ids, false,
                                         acked, committed, tokens, sizes, sent, ids, messages, more, due_in_ms, v_is_apart, v_table_no);
end
$procedure$

grant execute to public

CREATE OR REPLACE PROCEDURE millrace_private.receive_together(IN p_sink_no integer, IN p_batches integer[], IN p_nested boolean, IN p_bytes bigint, IN p_ack_tokens text[], IN p_ack_ids text[], IN p_apart boolean, INOUT acked integer[], INOUT committed text, INOUT tokens text[], INOUT sizes integer[], INOUT sent integer[], INOUT ids bigint[], INOUT messages text, INOUT more boolean, INOUT due_in_ms double precision, INOUT is_apart boolean, INOUT table_no integer)
 LANGUAGE plpgsql
AS $procedure$
declare
  v_answered record;
  v_lease record;
  v_is_mine boolean;
  v_told text;
begin
  if cardinality(p_ack_tokens) > 0 then
    -- The turn comes before the locks of an acknowledgement: see lease_batches.
    perform set_config('lock_timeout', '2s', true);
    v_is_mine := millrace_private.lock_consumer(p_sink_no, 'turn');
    v_answered := millrace_private.acknowledge_leases(p_sink_no, p_ack_tokens, p_ack_ids);
    v_told := set_config('millrace.answered', 'turn ' || p_sink_no, true);
    acked := v_answered.counts;
    committed := v_answered.committed;
  end if;
  -- (As an expression: a query that reads from a function costs more.)
  v_lease := millrace_private.lease_batches(p_sink_no, p_batches, null, p_bytes);
  commit;
  tokens := v_lease.tokens;
  sizes := v_lease.sizes;
  sent := v_lease.sizes;
  ids := v_lease.ids;
  more := v_lease.more;
  table_no := v_lease.table_no;
  is_apart := p_apart and v_lease.bytes is not null;
  if cardinality(ids) = 0 then
    due_in_ms := extract(epoch from millrace_private.next_due(p_sink_no, 0) - clock_timestamp()) * 1000;
  elsif is_apart then
    return;
  elsif v_lease.bytes is not null then
    messages := millrace_private.read_ranges(p_sink_no, tokens, sizes, ids, table_no, p_nested);
  else
    v_lease := millrace_private.read_leases(p_sink_no, tokens, sizes, ids, p_nested, p_bytes);
    messages := v_lease.messages;
    sent := v_lease.sent;
  end if;
end
$procedure$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.record_attempts(p_sink_no integer, p_kept jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_ids bigint[];
  v_first bigint;
  v_last bigint;
begin
  with written as (
    insert into millrace_private.attempts (sink_no, id, attempt, stage, took_ms, status, type, text)
    select p_sink_no, k.id, k.attempts, k.stage, (k.failure ->> 'took_ms')::bigint, (k.failure ->> 'status')::integer,
           left(k.failure ->> 'type', 200), left(coalesce(k.error, ''), 2000)
      from jsonb_to_recordset(p_kept) as k (id bigint, attempts integer, stage text, error text, failure jsonb)
     where k.failure is not null and k.stage is not null
    returning id, seq, attempt
  )
  select coalesce(array_agg(w.id) filter (where w.attempt % 10 = 1), '{}'), min(w.seq), max(w.seq)
    into v_ids, v_first, v_last from written w;
  if v_last is null then
    return;
  end if;

  if cardinality(v_ids) > 0 then
    delete from millrace_private.attempts a
     where a.ctid = any (array(
            select o.place
              from unnest(v_ids) i (id)
             cross join lateral (select x.ctid as place, x.seq from millrace_private.attempts x
                                  where x.sink_no = p_sink_no and x.id >= i.id and x.id <= i.id
                                  order by x.id desc, x.seq desc offset 9) o
             where o.seq > (select y.seq from millrace_private.attempts y
                             where y.sink_no = p_sink_no and y.id >= i.id and y.id <= i.id order by y.id, y.seq limit 1)));
  end if;

  if v_first / 1000 < v_last / 1000 or v_last % 1000 = 0 then
    delete from millrace_private.attempts a
     where a.sink_no = p_sink_no
       and a.seq <= (select x.seq from millrace_private.attempts x
                      where x.sink_no = p_sink_no order by x.seq desc offset 10000 limit 1);
  end if;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.record_change(p_action text, p_subject text, p_before jsonb, p_after jsonb, p_actor text DEFAULT NULL::text, p_request_id text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  insert into millrace_private.audit_log (actor, action, subject, before, after, request_id)
  values (left(coalesce(p_actor, nullif(current_setting('millrace.actor', true), ''), 'sql ' || session_user), 400),
          p_action, left(p_subject, 400),
          case when octet_length(p_before::text) > 65536
               then jsonb_build_object('left_out', 'larger than 64 KB') else p_before end,
          case when octet_length(p_after::text) > 65536
               then jsonb_build_object('left_out', 'larger than 64 KB') else p_after end,
          left(coalesce(p_request_id, nullif(current_setting('millrace.request_id', true), '')), 100))
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.record_sink(p_action text, p_no integer, p_before jsonb, p_after jsonb)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select millrace_private.record_change(
           p_action,
           case when s.destination_database_id is null then 'sink ' else 'change_retention ' end || s.name, p_before, p_after)
    from millrace_private.sinks s
   where s.no = p_no
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.refresh_metadata()
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.require_read_committed()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'this function needs a read committed transaction, this one is %',
      current_setting('transaction_isolation') using errcode = '25001',
      hint = 'begin isolation level read committed';
  end if;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.retry_messages(p_sink_no integer, p_ids bigint[])
 RETURNS integer
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  -- (A value that the planner does not know: it would take the index of all that is parked, and read that for each call.)
  c_parked constant text := 'parked';
  v_count integer;
begin
  perform millrace_private.limit_idling();
  perform from millrace_private.lanes l where l.sink_no = p_sink_no order by l.lane for no key update;
  perform millrace_private.try_lock_consumer(p_sink_no, 'shared');
  update millrace_private.delivery_states x
     set state = 'retrying', attempts = 0, due_at = clock_timestamp(), parked_at = null, token = null
   where x.sink_no = p_sink_no and x.id = any (p_ids) and x.state = c_parked
     and not (millrace_private.is_key_only(x.stage, x.error)
              and (select m.action from millrace_private.messages m
                    where m.sink_no = p_sink_no and m.lane = x.lane and m.id = x.id) is distinct from 'delete');
  get diagnostics v_count = row_count;
  if v_count > 0 then
    perform pg_notify('millrace_messages', p_sink_no::text);
  end if;
  return v_count;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.reveal_shaped(p_sink_no integer, p_ids bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET lock_timeout TO '2s'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if not exists (select from millrace_private.delivery_states x
                  where x.sink_no = p_sink_no and x.lane = 1
                    and x.id >= p_ids[1] and x.id <= p_ids[cardinality(p_ids)]) then
    return;
  end if;
  perform millrace_private.try_lock_consumer(p_sink_no, 'alone');
  insert into millrace_private.delivery_states as e
         (sink_no, id, lane, group_key, state, attempts, due_at, source_table, action, record_pks, committed_at)
  select p_sink_no, m.id, 0, m.group_key, 'waiting', 0, clock_timestamp(), m.source_table, m.action::"char", m.record_pks, m.committed_at
    from millrace_private.messages m
   where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (p_ids)
     and m.id <= coalesce((select c.id from millrace_private.cursor_log c
                            where c.sink_no = p_sink_no and c.lane = 0 order by c.seq desc limit 1), 0)
     and exists (select from millrace_private.delivery_states x where x.sink_no = p_sink_no and x.lane = 1 and x.id = m.id)
      on conflict (sink_no, id) do update
     set lane = 0, state = 'waiting', attempts = 0, due_at = excluded.due_at, stage = null, error = null, token = null;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.sample_message(p_sink_no integer, p_id bigint, p_steps jsonb, p_sent text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if not exists (select from millrace_private.previews p where p.sink_no = p_sink_no and p.until > clock_timestamp())
     or exists (select from millrace_private.recent_messages r
                 where r.sink_no = p_sink_no and r.at > clock_timestamp() - interval '1 s') then
    return;
  end if;

  insert into millrace_private.recent_messages
         (sink_no, id, action, source_table, record_pks, committed_at, size, message,
          kept, shape_ms, sent_at, send_ms, sent, outcome, stage, status, type, text)
  select p_sink_no, m.id, m.action, m.source_table, m.record_pks, m.committed_at, m.size,
         case when m.size <= 32768 then '{' || millrace_private.message_members(m.message, t.metadata, s.metadata) || '}' end,
         k.kept, k.shape_ms, k.sent_at, k.send_ms, p_sent, k.outcome, k.stage, k.status, k.type, left(k.text, 2000)
    from (select 0::smallint as lane union select l.lane from millrace_private.lanes l where l.sink_no = p_sink_no) l
   cross join lateral (select o.*, o as message, octet_length(o.record) + coalesce(octet_length(o.changes), 0) as size
                         from millrace_private.messages o
                        where o.sink_no = p_sink_no and o.lane = l.lane and o.id = p_id) m
    join millrace_private.source_tables t on t.no = m.source_table
    join millrace_private.sinks s on s.no = p_sink_no
   cross join jsonb_to_record(p_steps) as k (kept boolean, shape_ms bigint, sent_at timestamptz, send_ms bigint,
                                             outcome text, stage text, status integer, type text, text text);

  delete from millrace_private.recent_messages r
   where r.sink_no = p_sink_no
     and r.seq in (select o.seq from millrace_private.recent_messages o
                    where o.sink_no = p_sink_no order by o.seq desc offset 50 for update skip locked);
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.set_status(p_sink text, p_status text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_no integer := millrace_private.sink_no(p_sink);
  v_before text;
  v_reason constant text := left(nullif(current_setting('millrace.reason', true), ''), 1000);
begin
  select s.status into v_before from millrace_private.sinks s where s.no = v_no for no key update;
  update millrace_private.sinks s
     set status = p_status, settings = jsonb_set(s.settings, '{status}', to_jsonb(p_status)), status_by = 'operator',
         status_reason = v_reason, updated_at = now()
   where s.no = v_no and s.status <> p_status;
  if not found then
    return false;
  end if;
  perform millrace_private.add_sink_storage(v_no);
  perform millrace_private.record_sink(
    case p_status when 'active' then 'resume' when 'paused' then 'pause' else 'disable' end, v_no,
    jsonb_build_object('status', v_before),
    jsonb_strip_nulls(jsonb_build_object('status', p_status, 'reason', v_reason)));
  perform millrace_private.publish_catalog();
  perform pg_notify('millrace_messages', v_no::text);
  return true;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.settle(p_sink_no integer, p_lane integer, p_owner text, p_lo bigint, p_hi bigint, p_finished bigint[], p_kept jsonb, p_superseding bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
 SET lock_timeout TO '10s'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_receivable boolean;
  v_kept bigint[];
  v_groups bigint[] := '{}';
  v_seq bigint;
begin
  select s.receivable into v_receivable
    from millrace_private.lanes l
    join millrace_private.sinks s on s.no = l.sink_no
   where l.sink_no = p_sink_no and l.lane = p_lane and l.owner = p_owner and l.until > clock_timestamp()
     for no key update of l;
  if not found then
    raise exception 'this lane has another owner now' using errcode = 'MR002';
  end if;
  -- A message that was put back to be shaped holds back those of its group that are shaped already, and a receive passes
  -- them. Whoever ends that acts like an acknowledgement.
  if v_receivable and (p_kept is not null or cardinality(p_finished) > 0) then
    perform millrace_private.try_lock_consumer(p_sink_no, 'shared');
  end if;

  if p_kept is not null then
    select k.kept, k.groups into v_kept, v_groups from millrace_private.keep_messages(p_sink_no, p_lane, p_kept) k;
  end if;

  if cardinality(p_superseding) > 0 then
    perform millrace_private.drop_superseded(p_sink_no, p_lane, p_superseding);
  end if;

  if cardinality(p_finished) > 0 then
    with done as (
      delete from millrace_private.delivery_states x using unnest(p_finished) f (id)
       where x.sink_no = p_sink_no and x.lane = p_lane and x.id = f.id
    ), gone as (
      delete from millrace_private.messages m using unnest(p_finished) f (id)
       where m.sink_no = p_sink_no and m.lane = p_lane and m.id = f.id
      returning m.group_key, m.group_key2
    )
    select v_groups || coalesce(array_agg(g.group_key) filter (where g.group_key is not null), '{}')
           || coalesce(array_agg(g.group_key2) filter (where g.group_key2 is not null), '{}')
      into v_groups from gone g;
  end if;

  if p_hi > p_lo then
    if v_kept is null then
      delete from millrace_private.messages m
       where m.sink_no = p_sink_no and m.lane = p_lane and m.id > p_lo and m.id <= p_hi;
    else
      delete from millrace_private.messages m
       where m.sink_no = p_sink_no and m.lane = p_lane and m.id > p_lo and m.id <= p_hi and m.id <> all (v_kept);
    end if;
    select coalesce((select c.seq from millrace_private.cursor_log c
                      where c.sink_no = p_sink_no and c.lane = p_lane order by c.seq desc limit 1), 0) + 1 into v_seq;
    perform millrace_private.move_cursor(p_sink_no, p_lane, v_seq, p_hi);
  end if;

  if cardinality(v_groups) > 0 then
    perform millrace_private.free_held(p_sink_no, v_groups);
  end if;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.shell_word(p_text text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN (p_text ~ '^[A-Za-z0-9_./:@%+=-]+$'::text) THEN p_text ELSE ((''''::text || replace(p_text, ''''::text, '''\'''''::text)) || ''''::text) END

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.shrink_lease(p_place tid, p_taken integer)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  update millrace_private.leases l set remaining = l.remaining - p_taken where l.ctid = p_place and l.remaining > p_taken;
  if not found then
    delete from millrace_private.leases l where l.ctid = p_place;
  end if;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.sink_no(p_sink text)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_no integer;
begin
  select s.no into v_no from millrace_private.sinks s where s.name = p_sink;
  if not found then
    select s.no into v_no from millrace_private.sinks s where s.id::text = lower(p_sink);
  end if;
  if v_no is null then
    raise exception 'there is no sink %', quote_nullable(p_sink) using errcode = 'MR404',
      hint = 'select sink_name from millrace.sink_status';
  end if;
  return v_no;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.sinks_backlog()
 RETURNS TABLE(sink_name text, kind text, level text, reasons text[], pending bigint, retrying bigint, parked bigint, oldest_committed_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select s.name, s.kind, h.level, h.reasons, p.pending, x.retrying, x.parked, h.oldest_committed_at
    from millrace_private.sinks s
    join millrace_private.sinks_health(array(select a.no from millrace_private.sinks a)) h on h.sink_no = s.no
   cross join lateral millrace_private.count_states(s.no) x
   cross join lateral millrace_private.glance_pending(s.no, x.parked) p
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.sinks_health(p_sinks integer[])
 RETURNS TABLE(sink_no integer, health text, level text, reasons text[], waiting_since timestamp with time zone, oldest_committed_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
#variable_conflict use_column
declare
  v_has_worker constant boolean :=
    millrace_private.is_fresh((select b.at from millrace_private.worker_beats b order by b.seq desc limit 1));
begin
  return query
  with source as materialized (
    select d.id, h.state, h.level
      from millrace_private.databases d
     cross join lateral millrace_private.database_health(d.no) h
     where d.id in (select s.database_id from millrace_private.sinks s where s.no = any (p_sinks) and s.status = 'active')
  ), fact as (
    select s.no, s.status, s.receivable, s.database_id, s.status = 'active' as is_active, w.has_work, w.is_left,
           clock_timestamp() - w.waiting_since as waited, w.waiting_since, w.oldest_committed_at,
           (select b.reason from millrace_private.circuits b where b.sink_no = s.no) as circuit
      from millrace_private.sinks s
      join millrace_private.sinks_waiting(p_sinks) w on w.sink_no = s.no
  ), found as (
    select f.no, f.status, f.is_active, f.waiting_since, f.oldest_committed_at,
           case when f.is_active then
             array_remove(array[
               f.circuit,
               case when o.state in ('error', 'needs_resync') or o.state = 'standby' and o.level = 'failing'
                    then 'source_' || o.state end,
               case when exists (select from millrace_private.delivery_states e
                                  where e.sink_no = f.no and e.state = 'retrying' and e.stage = 'index')
                    then 'routed_index_failing' end], null)
           else '{}' end as failing,
           case when f.is_active then
             array_remove(array[
               case when o.state = 'unknown' then 'source_unknown' end,
               case when f.has_work and not v_has_worker then 'no_worker'
                    when f.is_left and f.circuit is null then 'not_worked_on' end], null)
           else '{}' end as unknown,
           case when f.status = 'disabled' then '{}' else
             array_remove(array[
               case when not f.is_active then null
                    when f.waited > interval '1 h' and f.receivable
                         and not exists (select from millrace_private.leases l
                                          where l.sink_no = f.no and l.until > clock_timestamp())
                         and coalesce((select c.at from millrace_private.cursor_log c
                                        where c.sink_no = f.no and c.lane = 0 order by c.seq desc limit 1), '-infinity')
                             < clock_timestamp() - interval '1 h' then 'nobody_receives'
                    when f.waited > interval '5 min'
                         or f.waited > interval '1 min'
                            and exists (select from millrace_private.sink_counters c
                                         where c.sink_no = f.no and c.step = 'minute'
                                           and c.at = date_trunc('minute', clock_timestamp() - interval '15 s') - interval '1 min'
                                           and c.persisted > c.delivered) then 'behind' end,
               case when exists (select from millrace_private.delivery_states e
                                  where e.sink_no = f.no and e.state = 'parked') then 'parked' end], null)
             || array(select distinct n.code from millrace_private.notices n
                       where n.sink_no = f.no and n.code <> 'no_old_values' order by 1)
           end as warning,
           case when f.is_active then '{}' else array[f.status] end
           || case when f.status = 'disabled' then '{}' else
                array(select distinct n.code from millrace_private.notices n
                       where n.sink_no = f.no and n.code = 'no_old_values') end as noted
      from fact f
      left join source o on o.id = f.database_id
  )
  select f.no, case when not f.is_active then f.status when j.level in ('failing', 'unknown') then j.reasons[1] else 'ok' end,
         j.level, j.reasons, f.waiting_since, f.oldest_committed_at
    from found f
   cross join lateral millrace_private.judged(f.failing, f.unknown, f.warning, f.noted) j;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.sinks_lag(p_sinks integer[])
 RETURNS TABLE(sink_no integer, committed_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
#variable_conflict use_column
begin
  return query
  with lane as (
    select k.sink_no, k.lane from millrace_private.lanes k where k.sink_no = any (p_sinks)
     union
    select u.no, 0::smallint from unnest(p_sinks) u (no)
  ), place as (
    select l.sink_no, l.lane,
           coalesce((select c.id from millrace_private.cursor_log c
                      where c.sink_no = l.sink_no and c.lane = l.lane order by c.seq desc limit 1), 0) as passed_id,
           (select min(d.id)
              from (select e.id from millrace_private.delivery_states e
                     where e.sink_no = l.sink_no and e.lane = l.lane and e.due_at is not null
                     order by e.due_at limit 1000) d) as due_id
      from lane l
     union all
    select u.no, 0::smallint, r.lo, null
      from unnest(p_sinks) u (no)
     cross join lateral (select s.lo from millrace_private.leases s where s.sink_no = u.no order by s.hi limit 1) r
  ), found as (
    select p.sink_no, n.committed_at
      from place p
     cross join lateral (
             select m.committed_at
               from (select o.id, o.committed_at from millrace_private.messages o
                      where o.sink_no = p.sink_no and o.lane = p.lane and o.id > p.passed_id order by o.id limit 1000) m
              where not exists (select from millrace_private.parked(p.sink_no, m.id) offset 0)
              order by m.id limit 1) n
     union all
    select p.sink_no, d.committed_at
      from place p
     cross join lateral (select o.committed_at from millrace_private.messages o
                          where o.sink_no = p.sink_no and o.lane = p.lane and o.id = p.due_id limit 1) d
     union all
    -- What is held may be behind one that was parked.
    select u.no, d.committed_at
      from unnest(p_sinks) u (no)
     cross join lateral (select s.lane, s.id
                           from (select e.lane, e.id, e.state from millrace_private.delivery_states e
                                  where e.sink_no = u.no order by e.id limit 1000) s
                          where s.state = 'held' order by s.id limit 1) h
     cross join lateral (select o.committed_at from millrace_private.messages o
                          where o.sink_no = u.no and o.lane = h.lane and o.id = h.id limit 1) d
  )
  select f.sink_no, min(f.committed_at) from found f group by f.sink_no;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.sinks_waiting(p_sinks integer[])
 RETURNS TABLE(sink_no integer, has_work boolean, is_left boolean, waiting_since timestamp with time zone, oldest_committed_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_hashjoin TO 'off'
 SET jit TO 'off'
 SET max_parallel_workers_per_gather TO '0'
AS $function$
#variable_conflict use_column
begin
  return query
  with lane as (
    select k.sink_no, k.lane, true as is_worked_on,
           k.waiting_since < clock_timestamp() - interval '30 s'
           and (k.owner is null or k.until < clock_timestamp()) as is_untaken
      from millrace_private.lanes k where k.sink_no = any (p_sinks)
     union all
    select u.no, 0::smallint, false, false
      from unnest(p_sinks) u (no)
     where not exists (select from millrace_private.lanes k where k.sink_no = u.no and k.lane = 0)
  ), place as (
    select l.sink_no, l.lane, l.is_worked_on, l.is_untaken, true as is_ahead,
           coalesce((select c.id from millrace_private.cursor_log c
                      where c.sink_no = l.sink_no and c.lane = l.lane order by c.seq desc limit 1), 0) as passed_id
      from lane l
     union all
    select u.no, 0::smallint, false, false, false, r.lo
      from unnest(p_sinks) u (no)
     cross join lateral (select s.lo from millrace_private.leases s where s.sink_no = u.no order by s.hi limit 1) r
     union all
    select u.no, x.lane, false, false, false, x.id - 1
      from unnest(p_sinks) u (no)
     cross join lateral (select e.lane, e.id from millrace_private.delivery_states e
                          where e.sink_no = u.no order by e.id limit 1) x
  ), found as (
    select p.sink_no, p.is_untaken, f.committed_at,
           p.is_worked_on
           and (f.id is not null
                or exists (select from millrace_private.delivery_states e
                            where e.sink_no = p.sink_no and e.lane = p.lane and e.due_at <= clock_timestamp())) as has_work,
           case when not p.is_ahead then null
                when not exists (select from millrace_private.delivery_states e where e.sink_no = p.sink_no and e.id = f.id) then f.id
                else (select n.id
                        from (select m.id from millrace_private.messages m
                               where m.sink_no = p.sink_no and m.lane = p.lane and m.id > p.passed_id
                               order by m.id limit 1000) n
                       where not exists (select from millrace_private.delivery_states e
                                          where e.sink_no = p.sink_no and e.id = n.id offset 0)
                       order by n.id limit 1) end as first_id,
           case when p.is_worked_on and not exists (select from millrace_private.consumers c where c.sink_no = p.sink_no) then
             (select min(d.id)
                from (select e.id from millrace_private.delivery_states e
                       where e.sink_no = p.sink_no and e.lane = p.lane and e.due_at is not null
                       order by e.due_at limit 1000) d) end as due_id
      from place p
      left join lateral (select m.id, m.committed_at from millrace_private.messages m
                          where m.sink_no = p.sink_no and m.lane = p.lane and m.id > p.passed_id order by m.id limit 1) f on true
  ), waiting as (
    select f.sink_no, bool_or(f.has_work) as has_work, coalesce(bool_or(f.has_work and f.is_untaken), false) as is_left,
           least(min(f.first_id), min(f.due_id)) as id, min(f.committed_at) as committed_at
      from found f
     group by f.sink_no
  )
  select w.sink_no, w.has_work, w.is_left,
         (select min(b.at)
            from millrace_private.sinks s
            join millrace_private.databases d on d.id = s.database_id
            join millrace_private.capture_beats b on b.database_no = d.no
           where s.no = w.sink_no and b.next_id > w.id),
         w.committed_at
    from waiting w;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.sweep_leases(p_sink_no integer, p_max_deliver integer, p_now timestamp with time zone, p_since timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_count bigint;
  v_groups bigint[];
begin
  with expired as (
    delete from millrace_private.leases l where l.sink_no = p_sink_no and l.until <= p_now and l.until > p_since
    returning l.token, l.lo, l.hi, l.dense, l.ids
  )
  insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, due_at, token, stage, error,
                                                source_table, action, record_pks, committed_at)
  select p_sink_no, m.id, 0, m.group_key, 'retrying', 1, p_now, e.token, 'receive',
         'the visibility timeout passed without an acknowledgement',
         m.source_table, m.action::"char", m.record_pks, m.committed_at
    from expired e
    join millrace_private.messages m on m.sink_no = p_sink_no and m.lane = 0 and m.id > e.lo and m.id <= e.hi
   where e.dense or m.id = any (e.ids)
      on conflict (sink_no, id) do nothing;

  while p_max_deliver is not null loop
    with parked as (
      update millrace_private.delivery_states x
         set state = 'parked', due_at = null, parked_at = p_now, stage = 'receive',
             error = coalesce(x.error, 'the visibility timeout passed without an acknowledgement')
       where x.sink_no = p_sink_no
         and x.id = any (array(
               select d.id
                 from (select o.id, o.state, o.attempts from millrace_private.delivery_states o
                        where o.sink_no = p_sink_no and o.lane = 0 and o.due_at <= p_now
                        order by o.due_at, o.id limit 2000) d
                where d.state in ('leased', 'retrying') and d.attempts >= p_max_deliver))
      returning x.id, x.lane
    )
    select count(*), v_groups || array_agg(distinct g.group_key) filter (where g.group_key is not null) into v_count, v_groups
      from parked p
      left join millrace_private.messages m on m.sink_no = p_sink_no and m.lane = p.lane and m.id = p.id
     cross join lateral unnest(array[m.group_key, m.group_key2]) g (group_key);
    exit when v_count = 0;
  end loop;
  if v_groups is not null then
    perform millrace_private.free_groups(p_sink_no, v_groups, p_now);
  end if;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.table_parts(p_table text)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
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
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.take_lane(p_sink_no integer, p_lane integer, p_owner text, p_ttl interval, p_session bigint DEFAULT NULL::bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET lock_timeout TO '1s'
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  update millrace_private.lanes l
     set owner = p_owner, until = clock_timestamp() + p_ttl, session = p_session,
         deaths = case when l.owner <> p_owner then least(l.deaths + 1, 1000) else l.deaths end,
         alone_deaths = case when l.owner <> p_owner and l.alone is not null and coalesce(l.alone_begun, true)
                             then least(l.alone_deaths + 1, 1000) else l.alone_deaths end,
         alone_begun = l.alone_begun and false
   where l.sink_no = p_sink_no and l.lane = p_lane
     and (l.owner = p_owner or l.owner is null or l.until < clock_timestamp());
  return found;
exception when lock_not_available then
  return false;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.tell_of_tokens()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform pg_catalog.pg_notify('millrace_tokens', '');
  return null;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.try_lock_consumer(p_sink_no integer, p_what text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  v_has_answered boolean := coalesce(current_setting('millrace.answered', true) <> '', false);
begin
  if p_what <> 'shared' and v_has_answered then
    perform set_config('lock_timeout', millrace_private.patience(), true);
    if p_what = 'turn' and exists (
         select from pg_locks k
          where not k.granted and k.database = (select d.oid from pg_database d where d.datname = current_database())
            and k.relation in (to_regclass('millrace_private.turn_' || p_sink_no), to_regclass('millrace_private.lock_' || p_sink_no))
            and clock_timestamp() - k.waitstart + millrace_private.patience()::interval
                >= current_setting('deadlock_timeout')::interval) then
      return false;
    end if;
  end if;
  return millrace_private.lock_consumer(p_sink_no, p_what);
exception
  when undefined_table then
    return false;
  when lock_not_available then
    if p_what <> 'shared' and v_has_answered then
      return false;
    end if;
    raise;
end
$function$

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.undecided(p_sink_no integer, p_group bigint, p_before bigint)
 RETURNS TABLE(id bigint, lane smallint, state text)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT b.id,
     b.lane,
     b.state
    FROM millrace_private.delivery_states b
   WHERE ((b.sink_no = undecided.p_sink_no) AND (b.id < undecided.p_before) AND ((
         CASE
             WHEN (b.state <> 'parked'::text) THEN b.group_key
             ELSE NULL::bigint
         END >= undecided.p_group) AND (
         CASE
             WHEN (b.state <> 'parked'::text) THEN b.group_key
             ELSE NULL::bigint
         END <= undecided.p_group)))
 UNION ALL
  SELECT b.id,
     b.lane,
     b.state
    FROM (millrace_private.messages o
      CROSS JOIN LATERAL ( SELECT s.id,
             s.lane,
             s.state
            FROM millrace_private.delivery_states s
           WHERE ((s.sink_no = o.sink_no) AND (s.id = o.id))
           ORDER BY s.id
          LIMIT 1) b)
   WHERE ((o.sink_no = undecided.p_sink_no) AND (o.group_key2 = undecided.p_group) AND (o.id < undecided.p_before) AND (b.state <> 'parked'::text));
END

grant execute to public

CREATE OR REPLACE FUNCTION millrace_private.write_lease(p_sink_no integer, p_token text, p_lo bigint, p_hi bigint, p_until timestamp with time zone, p_ids bigint[], p_dense boolean, p_seq bigint, p_in_flight integer, p_swept_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  with lease as (
    insert into millrace_private.leases (sink_no, token, lo, hi, until, size, remaining, dense, ids, digest)
    select p_sink_no, p_token, p_lo, p_hi, p_until, cardinality(p_ids), cardinality(p_ids), p_dense,
           case when not p_dense then p_ids end, hash_array_extended(p_ids, 0)
     where cardinality(p_ids) > 0
  )
  insert into millrace_private.cursor_log (sink_no, lane, seq, id, in_flight, swept_at)
  values (p_sink_no, 0, p_seq, p_hi, p_in_flight, p_swept_at);
  if p_seq % 64 = 0 then
    perform millrace_private.forget_cursors(p_sink_no, p_seq);
  end if;
end
$function$

grant execute to public

view millrace.audit
  id bigint
  at timestamp with time zone
  actor text comment 'Kind and name of who did it: token ci, user ann@example.org, cli root, file start, sql postgres.'
  action text
  subject text comment 'Kind and name of what was changed: sink products-index.'
  before jsonb comment 'Secrets are masked. Null: there was nothing.'
  after jsonb comment 'Secrets are masked. Null: there is nothing any more.'
  request_id text comment 'That of the HTTP request, as in its X-Request-Id.'
 SELECT id,
    at,
    actor,
    action,
    subject,
    before,
    after,
    request_id
   FROM millrace_private.audit_log a;
comment 'Who changed what, over HTTP, with the command line, by a file or by SQL: the last 400 days, at most 1,000,000 rows.'
grant select to millrace_reader

view millrace.backfill_status
  id uuid
  sink_name text
  kind text comment 'all (makes one for each table), table, keys (listed rows) or replay (of a change table).'
  table_schema text
  table_name text
  state text comment 'waiting, running, paused, done, cancelled or failed.'
  reason text comment 'What it waits for, or why it failed.'
  remedy text comment 'What to do about it.'
  rows_done bigint comment 'Rows read.'
  rows_sent bigint comment 'Of them: sent as messages. The others do not pass the filters, or changed meanwhile and were sent as that change.'
  rows_total bigint comment 'Rows to read, by the planner''s estimate; of a replay its entries, counted.'
  percent integer
  rows_per_second numeric comment 'While it was running.'
  time_left interval comment 'At that rate.'
  sort_column text
  start_position text
  created_at timestamp with time zone
  started_at timestamp with time zone
  ended_at timestamp with time zone
 SELECT b.id,
    s.name AS sink_name,
    b.kind,
    b.table_schema,
    b.table_name,
    b.state,
    b.reason,
    b.remedy,
    b.rows_done,
    b.rows_sent,
    b.rows_total,
        CASE
            WHEN (b.state = 'done'::text) THEN 100
            WHEN (b.rows_total > 0) THEN (LEAST((99)::numeric, floor(((100.0 * (b.rows_done)::numeric) / (b.rows_total)::numeric))))::integer
            ELSE NULL::integer
        END AS percent,
    r.rows_per_second,
        CASE
            WHEN ((b.state = 'running'::text) AND (b.rows_total > b.rows_done) AND (r.rows_per_second > (0)::numeric)) THEN make_interval(secs => ((((b.rows_total - b.rows_done))::numeric / r.rows_per_second))::double precision)
            ELSE NULL::interval
        END AS time_left,
    b.sort_column,
    b.start_position,
    b.created_at,
    b.started_at,
    b.ended_at
   FROM ((millrace_private.backfills b
     JOIN millrace_private.sinks s ON ((s.no = b.sink_no)))
     CROSS JOIN LATERAL ( SELECT round((((b.rows_done)::double precision / NULLIF(b.running_seconds, (0)::double precision)))::numeric, 1) AS rows_per_second) r);
comment 'One row for each backfill, including those that have ended: its progress, what it waits for, why it failed. Its messages are pending until they are delivered: see sink_status.'
grant select to millrace_reader

view millrace.consumer_status
  sink_name text
  status text
  pending bigint
  leased bigint comment 'Messages that clients have now.'
  retrying bigint
  held bigint comment 'Messages behind an earlier one of their group.'
  parked bigint
  visibility_timeout interval
  max_ack_pending integer
  max_deliver integer
  max_per_group integer
  next_due_at timestamp with time zone comment 'When the next lease ends or the next retry is due.'
  blocked_by integer[] comment 'Backends whose open transaction keeps receive waiting.'
  pending_is_estimate boolean comment 'As in millrace.sink_status.'
  level text comment 'As in millrace.sink_status.'
  reasons text[] comment 'As in millrace.sink_status.'
  blocked_by_prepared text[] comment 'Transactions that were prepared (two-phase commit) and keep receive waiting: commit prepared or rollback prepared.'
 SELECT s.name AS sink_name,
    s.status,
    n.pending,
    (COALESCE(( SELECT sum(l.remaining) AS sum
           FROM millrace_private.leases l
          WHERE (l.sink_no = s.no)), (0)::bigint) + x.leased) AS leased,
    x.retrying,
    w.held,
    p.parked,
    c.visibility_timeout,
    c.max_ack_pending,
    c.max_deliver,
    c.max_per_group,
    LEAST(( SELECT min(l.until) AS min
           FROM millrace_private.leases l
          WHERE (l.sink_no = s.no)), ( SELECT min(e.due_at) AS min
           FROM millrace_private.delivery_states e
          WHERE ((e.sink_no = s.no) AND (e.lane = 0)))) AS next_due_at,
    b.pids AS blocked_by,
    n.is_estimate AS pending_is_estimate,
    h.level,
    h.reasons,
    b.gids AS blocked_by_prepared
   FROM (((((((millrace_private.sinks s
     JOIN millrace_private.consumers c ON ((c.sink_no = s.no)))
     LEFT JOIN ( SELECT f.sink_no,
            max(f.level) AS level,
            max(f.reasons) AS reasons
           FROM millrace_private.sinks_health(ARRAY( SELECT a.sink_no
                   FROM millrace_private.consumers a)) f(sink_no, health, level, reasons, waiting_since, oldest_committed_at)
          GROUP BY f.sink_no) h ON ((h.sink_no = s.no)))
     LEFT JOIN LATERAL ( SELECT array_agg(DISTINCT a.pid) FILTER (WHERE (a.pid IS NOT NULL)) AS pids,
            array_agg(DISTINCT t.gid) FILTER (WHERE (t.gid IS NOT NULL)) AS gids
           FROM ((((pg_locks k
             JOIN pg_class r ON ((r.oid = k.relation)))
             LEFT JOIN pg_stat_activity a ON (((a.pid = k.pid) AND (a.xact_start < (clock_timestamp() - '00:00:02'::interval)))))
             LEFT JOIN pg_locks i ON (((k.pid IS NULL) AND (i.pid IS NULL) AND (i.locktype = 'transactionid'::text) AND (i.mode = 'ExclusiveLock'::text) AND (i.virtualtransaction = k.virtualtransaction))))
             LEFT JOIN pg_prepared_xacts t ON (((t.transaction = i.transactionid) AND (t.prepared < (clock_timestamp() - '00:00:02'::interval)))))
          WHERE ((k.locktype = 'relation'::text) AND k.granted AND (k.mode <> 'AccessShareLock'::text) AND (k.database = ( SELECT d.oid
                   FROM pg_database d
                  WHERE (d.datname = current_database()))) AND (r.relname = ANY (ARRAY[(('turn_'::text || s.no))::name, (('lock_'::text || s.no))::name])) AND (r.relnamespace = ( SELECT w_1.oid
                   FROM pg_namespace w_1
                  WHERE (w_1.nspname = 'millrace_private'::name))))) b ON (true))
     LEFT JOIN LATERAL ( SELECT max(k.pending) AS pending,
            bool_or(k.is_estimate) AS is_estimate
           FROM millrace_private.count_pending(s.no) k(pending, is_estimate)) n ON (true))
     LEFT JOIN LATERAL ( SELECT count(*) FILTER (WHERE (e.state = 'leased'::text)) AS leased,
            count(*) FILTER (WHERE (e.state = 'retrying'::text)) AS retrying
           FROM millrace_private.delivery_states e
          WHERE ((e.sink_no = s.no) AND (e.due_at IS NOT NULL))) x ON (true))
     LEFT JOIN LATERAL ( SELECT count(*) AS held
           FROM millrace_private.delivery_states e
          WHERE ((e.sink_no = s.no) AND (e.due_at IS NULL) AND (e.state <> 'parked'::text))) w ON (true))
     LEFT JOIN LATERAL ( SELECT count(*) AS parked
           FROM millrace_private.delivery_states e
          WHERE ((e.sink_no = s.no) AND (e.state = 'parked'::text))) p ON (true));
comment 'One row for each pull consumer. blocked_by: backends whose open transaction keeps receive waiting (end it, or pg_terminate_backend).'
grant select to millrace_reader

view millrace.database_status
  database_name text
  state text comment 'starting, streaming, standby, error, needs_resync, table_detached or unknown (no capture process has reported for 15 s); null: no sink reads from it.'
  reason text comment 'Why it is in this state.'
  remedy text comment 'What to run to fix it.'
  state_since timestamp with time zone
  epoch integer comment 'A stretch of history without a gap; millrace.accept_gap begins a new one.'
  slot_name text
  commit_lsn pg_lsn comment 'The last transaction whose changes are kept here.'
  confirmed_lsn pg_lsn comment 'Up to here the source need not keep its WAL for this slot.'
  level text comment 'ok, warning (it is captured, but somebody should look), unknown or failing; as in /healthz.'
  reasons text[] comment 'Codes of all that is known to be wrong, the worst first: see docs/operations.md, Sources.'
 SELECT d.name AS database_name,
    h.state,
    h.reason,
    h.remedy,
    h.since AS state_since,
    p.epoch,
    p.slot_name,
    l.commit_lsn,
    l.confirmed_lsn,
    h.level,
    h.reasons
   FROM (((millrace_private.databases d
     LEFT JOIN millrace_private.positions p ON ((p.database_no = d.no)))
     LEFT JOIN LATERAL ( SELECT g.commit_lsn,
            g.confirmed_lsn
           FROM millrace_private.position_log g
          WHERE (g.database_no = d.no)
          ORDER BY g.seq DESC
         LIMIT 1) l ON (true))
     CROSS JOIN LATERAL millrace_private.database_health(d.no) h(state, reason, remedy, since, level, reasons));
comment 'One row for each database: is it captured, and if not, why and what to do.'
grant select to millrace_reader

view millrace.operation_status
  id uuid
  kind text comment 'backfill, replay, verify, rebuild, resync, retry or discard.'
  sink_name text comment 'Null: a resync is of all sinks of its database.'
  database_name text
  table_schema text
  table_name text comment 'Null: all tables of the sink. Of a verification: what it compares now.'
  state text comment 'waiting, running, paused, done, cancelled or failed.'
  reason text comment 'What it waits for, or why it failed.'
  remedy text comment 'What to do about it.'
  rows_done bigint comment 'As in millrace.backfill_status, and so the other figures; of a retry or discard: messages.'
  rows_sent bigint
  rows_total bigint
  percent integer
  rows_per_second numeric
  time_left interval
  sort_column text
  start_position text
  created_at timestamp with time zone
  started_at timestamp with time zone
  updated_at timestamp with time zone comment 'When it moved last.'
  ended_at timestamp with time zone
  phase text comment 'What it does now: of what a worker does, and so the columns below.'
  result jsonb comment 'Null until it is done.'
  attempt integer comment 'How often a worker took it up; after five it fails.'
  requested_by text
  steps jsonb comment 'What is over, with its time.'
  lines text[] comment 'What a person sees who watches.'
 SELECT b.id,
        CASE
            WHEN (b.kind = 'replay'::text) THEN 'replay'::text
            ELSE 'backfill'::text
        END AS kind,
    s.name AS sink_name,
    d.name AS database_name,
    b.table_schema,
    b.table_name,
    r.state,
    COALESCE(t.reason, b.reason) AS reason,
    COALESCE(t.remedy, b.remedy) AS remedy,
    r.rows_done,
    r.rows_sent,
    r.rows_total,
        CASE
            WHEN (r.state = 'done'::text) THEN 100
            WHEN (r.rows_total > 0) THEN (LEAST((99)::numeric, floor(((100.0 * (r.rows_done)::numeric) / (r.rows_total)::numeric))))::integer
            ELSE NULL::integer
        END AS percent,
    p.rows_per_second,
        CASE
            WHEN ((r.state = 'running'::text) AND (r.rows_total > r.rows_done) AND (p.rows_per_second > (0)::numeric)) THEN make_interval(secs => ((((r.rows_total - r.rows_done))::numeric / p.rows_per_second))::double precision)
            ELSE NULL::interval
        END AS time_left,
    b.sort_column,
    b.start_position,
    b.created_at,
    b.started_at,
    COALESCE(t.moved_at, b.moved_at, b.started_at, b.created_at) AS updated_at,
        CASE
            WHEN (r.state = ANY (ARRAY['done'::text, 'failed'::text, 'cancelled'::text])) THEN GREATEST(t.ended_at, b.ended_at)
            ELSE NULL::timestamp with time zone
        END AS ended_at,
    NULL::text AS phase,
    NULL::jsonb AS result,
    NULL::integer AS attempt,
    NULL::text AS requested_by,
    NULL::jsonb AS steps,
    NULL::text[] AS lines
   FROM (((((millrace_private.backfills b
     JOIN millrace_private.sinks s ON ((s.no = b.sink_no)))
     JOIN millrace_private.databases d ON ((d.id = s.database_id)))
     LEFT JOIN LATERAL ( SELECT count(*) FILTER (WHERE (k.state = ANY (ARRAY['waiting'::text, 'running'::text]))) AS running,
            count(*) FILTER (WHERE (k.state = 'paused'::text)) AS paused,
            count(*) FILTER (WHERE (k.state = 'failed'::text)) AS failed,
            count(*) FILTER (WHERE (k.state = 'cancelled'::text)) AS cancelled,
            (sum(k.rows_done))::bigint AS rows_done,
            (sum(k.rows_sent))::bigint AS rows_sent,
            (sum(k.rows_total))::bigint AS rows_total,
            sum(k.running_seconds) AS running_seconds,
            min(k.reason) FILTER (WHERE (k.state = 'failed'::text)) AS reason,
            min(k.remedy) FILTER (WHERE (k.state = 'failed'::text)) AS remedy,
            max(k.moved_at) AS moved_at,
            max(k.ended_at) AS ended_at
           FROM millrace_private.backfills k
          WHERE ((b.kind = 'all'::text) AND (b.state = 'done'::text) AND (k.sink_no = b.sink_no) AND (k.kind = 'table'::text) AND (k.created_at <= (b.ended_at + '00:00:01'::interval)) AND ((k.no > b.no) OR (k.ended_at IS NULL) OR (k.ended_at >= b.ended_at)))) t ON (true))
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN (t.running > 0) THEN 'running'::text
                    WHEN (t.paused > 0) THEN 'paused'::text
                    WHEN (t.failed > 0) THEN 'failed'::text
                    WHEN (t.cancelled > 0) THEN 'cancelled'::text
                    ELSE b.state
                END AS state,
            COALESCE(t.rows_done, b.rows_done) AS rows_done,
            COALESCE(t.rows_sent, b.rows_sent) AS rows_sent,
            COALESCE(t.rows_total, b.rows_total) AS rows_total) r)
     CROSS JOIN LATERAL ( SELECT round((((r.rows_done)::double precision / NULLIF(COALESCE(t.running_seconds, b.running_seconds), (0)::double precision)))::numeric, 1) AS rows_per_second) p)
UNION ALL
 SELECT o.id,
    o.kind,
    s.name AS sink_name,
    d.name AS database_name,
    NULL::text AS table_schema,
    (o.progress ->> 'table'::text) AS table_name,
    o.state,
        CASE
            WHEN w.is_lone THEN 'no worker is there to take it'::text
            ELSE o.reason
        END AS reason,
        CASE
            WHEN w.is_lone THEN 'Run bin/millrace start, or a worker process.'::text
            ELSE o.remedy
        END AS remedy,
    COALESCE(((o.progress ->> 'done'::text))::bigint, (0)::bigint) AS rows_done,
    COALESCE(((o.progress ->> 'sent'::text))::bigint, (0)::bigint) AS rows_sent,
    ((o.progress ->> 'total'::text))::bigint AS rows_total,
        CASE
            WHEN (o.state = 'done'::text) THEN 100
            ELSE ((o.progress ->> 'percent'::text))::integer
        END AS percent,
    ((o.progress ->> 'per_second'::text))::numeric AS rows_per_second,
        CASE
            WHEN (o.state = 'running'::text) THEN make_interval(secs => ((o.progress ->> 'seconds_left'::text))::double precision)
            ELSE NULL::interval
        END AS time_left,
    NULL::text AS sort_column,
    NULL::text AS start_position,
    o.created_at,
    o.started_at,
    COALESCE(o.ended_at, o.moved_at, o.started_at, o.created_at) AS updated_at,
    o.ended_at,
    o.phase,
    o.result,
    o.attempt,
    o.requested_by,
    o.steps,
    o.lines
   FROM (((millrace_private.operations o
     JOIN millrace_private.databases d ON ((d.no = o.database_no)))
     LEFT JOIN millrace_private.sinks s ON ((s.no = o.sink_no)))
     CROSS JOIN LATERAL ( SELECT ((o.state = ANY (ARRAY['waiting'::text, 'running'::text])) AND COALESCE((o.until < clock_timestamp()), true) AND (NOT millrace_private.is_fresh(( SELECT b.at
                   FROM millrace_private.worker_beats b
                  ORDER BY b.seq DESC
                 LIMIT 1)))) AS is_lone) w);
comment 'One row for each job that an operator asked for, including those that have ended: backfills (one for all tables with those of its tables), replays, verifications, rebuilds, resyncs, and messages that are retried or discarded where they are many.'
grant select to millrace_reader

view millrace.parked_messages
  sink_name text
  id bigint
  table_schema text
  table_name text
  record_pk text
  action text
  state text
  attempts integer
  visible_at timestamp with time zone
  error text
  committed_at timestamp with time zone
  message json
  stage text comment 'Where it failed: capture, shape, send, settle or receive.'
  parked_at timestamp with time zone comment 'When it was put aside.'
 SELECT sink_name,
    id,
    table_schema,
    table_name,
    millrace_private.pk_text(record_pks) AS record_pk,
    action,
    state,
    attempts,
    visible_at,
    error,
    committed_at,
    message,
    stage,
    parked_at
   FROM millrace_private.message_list m
  WHERE parked;
comment 'Messages that failed for good. millrace.retry(sink, ids) puts them back, millrace.discard(sink, ids) deletes them.'
grant select to millrace_reader

view millrace.pending_messages
  sink_name text comment 'The sink that it waits for.'
  id bigint comment 'Increases in commit order within a source database.'
  table_schema text
  table_name text
  record_pk text comment 'Primary-key values of the row, joined with -.'
  action text comment 'insert, update, delete or read.'
  state text comment 'waiting, leased, retrying or held.'
  attempts integer comment 'Deliveries so far.'
  visible_at timestamp with time zone comment 'When its lease ends or its retry is due.'
  error text comment 'The last answer of its destination, or what its sink waits for.'
  committed_at timestamp with time zone comment 'When the source committed the change.'
  message json comment 'The message as it is delivered.'
 SELECT sink_name,
    id,
    table_schema,
    table_name,
    millrace_private.pk_text(record_pks) AS record_pk,
    action,
    state,
    attempts,
    visible_at,
    error,
    committed_at,
    message
   FROM millrace_private.message_list m
  WHERE (NOT parked);
comment 'Every message that is not settled. state: waiting, leased (a client has it), retrying (backing off until visible_at), held (behind an earlier one of its row).'
grant select to millrace_reader

view millrace.sink_metrics
  sink_name text
  step text comment 'minute or hour.'
  at timestamp with time zone comment 'When it began.'
  persisted bigint
  delivered bigint comment 'Of a pull consumer: acknowledged over HTTP. What was acknowledged from psql is not counted.'
  failed bigint comment 'Deliveries that failed: retried, or parked.'
  retried bigint
  parked bigint
  discarded bigint
  bytes bigint comment 'Of what was persisted.'
  p50_ms double precision comment 'Half of the messages took no longer from their commit to their delivery; null where none was delivered.'
  p90_ms double precision
  p99_ms double precision
  latency_buckets bigint[] comment 'Messages by that time: up to 1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 200, 500 ms, 1, 2, 5, 15 s, 1, 5, 15 min, 1, 4, 12, 24 h, and longer.'
  p95_ms double precision comment 'As p50_ms, of 95 in a hundred.'
 SELECT s.name AS sink_name,
    c.step,
    c.at,
    c.persisted,
    c.delivered,
    c.failed,
    c.retried,
    c.parked,
    c.discarded,
    c.bytes,
    millrace_private.latency_share(c.latency, (0.5)::double precision) AS p50_ms,
    millrace_private.latency_share(c.latency, (0.9)::double precision) AS p90_ms,
    millrace_private.latency_share(c.latency, (0.99)::double precision) AS p99_ms,
    c.latency AS latency_buckets,
    millrace_private.latency_share(c.latency, (0.95)::double precision) AS p95_ms
   FROM (millrace_private.sink_counters c
     JOIN millrace_private.sinks s ON ((s.no = c.sink_no)));
comment 'What became of the messages of each sink, by minutes of the last 24 hours and by hours of the last 31 days.'
grant select to millrace_reader

view millrace.sink_status
  sink_name text
  kind text
  database_name text
  status text
  health text comment 'ok, or the first reason for which nothing is delivered or nobody knows: an open circuit''s, source_<state>, routed_index_failing (error says which), no_worker, not_worked_on; paused or disabled.'
  pending bigint comment 'Messages that are not settled, without the parked ones.'
  retrying bigint comment 'Of them: backing off, or held behind one that does.'
  parked bigint comment 'Messages that failed for good: see millrace.parked_messages.'
  oldest_committed_at timestamp with time zone comment 'Commit time of the oldest message.'
  error text comment 'The destination''s own answer while the circuit is open.'
  failing_since timestamp with time zone comment 'When the circuit opened.'
  next_probe_at timestamp with time zone comment 'When the destination is asked again.'
  notices json comment 'Warnings with their remedies: code, table, message, remedy, since.'
  pending_is_estimate boolean comment 'More than 100,000 messages: pending is Postgres'' own count of the rows, some per cent off at times.'
  level text comment 'ok, warning (it works, but somebody should look), unknown (nobody says) or failing; as in /healthz.'
  reasons text[] comment 'Codes of all that is known to be wrong, the worst first: see docs/operations.md, Health.'
 SELECT s.name AS sink_name,
    s.kind,
    d.name AS database_name,
    s.status,
    h.health,
    c.pending,
    (r.retrying + w.held) AS retrying,
    p.parked,
    h.oldest_committed_at,
    COALESCE(b.error, x.error) AS error,
    b.opened_at AS failing_since,
    b.probe_at AS next_probe_at,
    ( SELECT json_agg(json_build_object('code', n.code, 'table', n.table_name, 'message', n.message, 'remedy', n.remedy, 'since', n.created_at) ORDER BY n.created_at) AS json_agg
           FROM millrace_private.notices n
          WHERE (n.sink_no = s.no)) AS notices,
    c.is_estimate AS pending_is_estimate,
    h.level,
    h.reasons
   FROM ((((((((millrace_private.sinks s
     JOIN millrace_private.databases d ON ((d.id = s.database_id)))
     LEFT JOIN millrace_private.circuits b ON ((b.sink_no = s.no)))
     LEFT JOIN ( SELECT f.sink_no,
            max(f.health) AS health,
            max(f.level) AS level,
            max(f.reasons) AS reasons,
            max(f.oldest_committed_at) AS oldest_committed_at
           FROM millrace_private.sinks_health(ARRAY( SELECT a.no
                   FROM millrace_private.sinks a)) f(sink_no, health, level, reasons, waiting_since, oldest_committed_at)
          GROUP BY f.sink_no) h ON ((h.sink_no = s.no)))
     LEFT JOIN LATERAL ( SELECT max(n.pending) AS pending,
            bool_or(n.is_estimate) AS is_estimate
           FROM millrace_private.count_pending(s.no) n(pending, is_estimate)) c ON (true))
     LEFT JOIN LATERAL ( SELECT count(*) AS retrying
           FROM millrace_private.delivery_states e
          WHERE ((e.sink_no = s.no) AND (e.due_at IS NOT NULL) AND (e.state = 'retrying'::text))) r ON (true))
     LEFT JOIN LATERAL ( SELECT count(*) AS held
           FROM millrace_private.delivery_states e
          WHERE ((e.sink_no = s.no) AND (e.due_at IS NULL) AND (e.state <> 'parked'::text))) w ON (true))
     LEFT JOIN LATERAL ( SELECT count(*) AS parked
           FROM millrace_private.delivery_states e
          WHERE ((e.sink_no = s.no) AND (e.state = 'parked'::text))) p ON (true))
     LEFT JOIN LATERAL ( SELECT max(e.error) AS error
           FROM millrace_private.delivery_states e
          WHERE ((e.sink_no = s.no) AND (e.state = 'retrying'::text) AND (e.stage = 'index'::text))) x ON (true));
comment 'One row for each sink: its health (level, and the reasons for it), how many messages wait, since when it fails and with what answer, and its notices with their remedies.'
grant select to millrace_reader

view millrace_private.message_list
  sink_no integer
  lane smallint
  id bigint
  source_table integer
  record_pks text
  action text
  committed_at timestamp with time zone
  sink_name text
  table_schema text
  table_name text
  state text
  attempts integer
  visible_at timestamp with time zone
  error text
  stage text
  parked_at timestamp with time zone
  message json
  parked boolean
 SELECT m.sink_no,
    m.lane,
    m.id,
    m.source_table,
    m.record_pks,
    m.action,
    m.committed_at,
    s.name AS sink_name,
    t.schema_name AS table_schema,
    t.table_name,
        CASE
            WHEN (x.state IS NOT NULL) THEN x.state
            WHEN ((m.lane = 0) AND (m.id <= s.passed_id)) THEN
            CASE
                WHEN ( SELECT true
                   FROM ( SELECT l.lo,
                            l.until,
                            l.dense,
                            l.ids
                           FROM millrace_private.leases l
                          WHERE ((l.sink_no = m.sink_no) AND (l.hi >= m.id))
                          ORDER BY l.hi
                         LIMIT 1) r
                  WHERE ((r.lo < m.id) AND (r.dense OR (m.id = ANY (r.ids))))) THEN 'leased'::text
                ELSE 'held'::text
            END
            ELSE 'waiting'::text
        END AS state,
        CASE
            WHEN (x.state IS NOT NULL) THEN x.attempts
            WHEN ((m.lane = 0) AND (m.id <= s.passed_id) AND ( SELECT true
               FROM ( SELECT l.lo,
                        l.until,
                        l.dense,
                        l.ids
                       FROM millrace_private.leases l
                      WHERE ((l.sink_no = m.sink_no) AND (l.hi >= m.id))
                      ORDER BY l.hi
                     LIMIT 1) r
              WHERE ((r.lo < m.id) AND (r.dense OR (m.id = ANY (r.ids)))))) THEN 1
            ELSE 0
        END AS attempts,
    COALESCE(x.due_at,
        CASE
            WHEN ((x.state IS NULL) AND (m.lane = 0) AND (m.id <= s.passed_id)) THEN ( SELECT r.until
               FROM ( SELECT l.lo,
                        l.until,
                        l.dense,
                        l.ids
                       FROM millrace_private.leases l
                      WHERE ((l.sink_no = m.sink_no) AND (l.hi >= m.id))
                      ORDER BY l.hi
                     LIMIT 1) r
              WHERE ((r.lo < m.id) AND (r.dense OR (m.id = ANY (r.ids)))))
            ELSE NULL::timestamp with time zone
        END) AS visible_at,
    COALESCE(x.error, b.error) AS error,
    x.stage,
    x.parked_at,
    (millrace_private.message_text(m.message, t.metadata, s.metadata))::json AS message,
    (NOT (x.state IS DISTINCT FROM 'parked'::text)) AS parked
   FROM ((((( SELECT s_1.no,
            s_1.name,
            s_1.metadata,
                CASE
                    WHEN s_1.receivable THEN ( SELECT c.id
                       FROM millrace_private.cursor_log c
                      WHERE ((c.sink_no = s_1.no) AND (c.lane = 0))
                      ORDER BY c.seq DESC
                     LIMIT 1)
                    ELSE NULL::bigint
                END AS passed_id
           FROM millrace_private.sinks s_1
         OFFSET 0) s
     LEFT JOIN LATERAL ( SELECT m_1.sink_no,
            m_1.lane,
            m_1.id,
            m_1.group_key,
            m_1.group_key2,
            m_1.source_table,
            m_1.action,
            m_1.record_pks,
            m_1.commit_lsn,
            m_1.commit_idx,
            m_1.committed_at,
            m_1.record,
            m_1.changes,
            m_1.annotations,
            m_1.unchanged_toast,
            m_1.payload,
            m_1.*::millrace_private.messages AS message,
            s.no AS of_sink
           FROM millrace_private.messages m_1
          WHERE (m_1.sink_no = s.no)) m ON (true))
     LEFT JOIN millrace_private.source_tables t ON ((t.no = m.source_table)))
     LEFT JOIN millrace_private.delivery_states x ON (((x.sink_no = m.sink_no) AND (x.id = m.id))))
     LEFT JOIN millrace_private.circuits b ON ((b.sink_no = s.no)))
  WHERE (m.of_sink IS NOT NULL);
