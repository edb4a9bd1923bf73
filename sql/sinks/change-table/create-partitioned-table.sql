create table if not exists <event_table> (
  id bigserial not null,
  seq bigint not null,
  source_database_id uuid not null,
  source_table_oid bigint not null,
  source_table_schema text not null,
  source_table_name text not null,
  record_pk text not null,
  record jsonb not null,
  changes jsonb,
  action text not null,
  committed_at timestamp with time zone not null,
  -- transaction_annotations jsonb,  -- optional: who did it, as messages have it in their metadata
  inserted_at timestamp with time zone not null default now(),
  primary key (id, committed_at)
) partition by range (committed_at)
