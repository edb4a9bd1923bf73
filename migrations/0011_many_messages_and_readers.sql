-- Messages that failed are put back, or given up, by a worker where they are many.
alter table millrace_private.operations drop constraint operations_kind_check;
alter table millrace_private.operations add constraint operations_kind_check
  check (kind in ('verify', 'rebuild', 'resync', 'retry', 'discard'));
-- The lock that its worker holds, as lanes name it: when that is free the worker has died. Null: unknown, its lease counts.
alter table millrace_private.operations add column session bigint;

-- Tells groups of errors apart for whoever may not read them (error_group): who does not know it cannot try texts.
alter table millrace_private.installation add column mark uuid not null default gen_random_uuid();

-- Who received from a consumer over HTTP, and acknowledged, by the name of the token. Written at most every 30 s.
create table millrace_private.readers (
  sink_no integer not null references millrace_private.sinks (no) on delete cascade,
  token text not null,
  received_at timestamptz,
  acked_at timestamptz,
  address text not null,                       -- of the client that asked last; of IPv6 its network
  primary key (sink_no, token)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
