-- The rest of the public contract: figures for whoever scrapes by SQL, a role that may look, a comment on every column.

create function millrace.metrics() returns table (name text, labels jsonb, value double precision)
language sql stable as $$
  select m.name, jsonb_build_object('sink', s.sink_name, 'kind', s.kind), m.value
    from millrace.sink_status s
   cross join lateral (values
     ('sink_pending_messages', s.pending::double precision),
     ('sink_retrying_messages', s.retrying::double precision),
     ('sink_parked_messages', s.parked::double precision),
     ('sink_oldest_message_age_seconds',
      coalesce(extract(epoch from clock_timestamp() - s.oldest_committed_at), 0)::double precision),
     ('sink_ok', (s.health in ('ok', 'paused', 'disabled'))::integer::double precision)) m (name, value)
  union all
  select 'consumer_leased_messages', jsonb_build_object('sink', c.sink_name), c.leased::double precision
    from millrace.consumer_status c
  union all
  select 'database_streaming', jsonb_build_object('database', d.database_name),
         (d.state = 'streaming')::integer::double precision
    from millrace.database_status d where d.state is not null
$$;
comment on function millrace.metrics() is
  'The figures of /metrics that the database knows: one row a figure, for tools that scrape by SQL.';

comment on column millrace.pending_messages.sink_name is 'The sink that it waits for.';
comment on column millrace.pending_messages.id is 'Increases in commit order within a source database.';
comment on column millrace.pending_messages.record_pk is 'Primary-key values of the row, joined with -.';
comment on column millrace.pending_messages.action is 'insert, update, delete or read.';
comment on column millrace.pending_messages.state is 'waiting, leased, retrying or held.';
comment on column millrace.pending_messages.attempts is 'Deliveries so far.';
comment on column millrace.pending_messages.visible_at is 'When its lease ends or its retry is due.';
comment on column millrace.pending_messages.error is 'The last answer of its destination, or what its sink waits for.';
comment on column millrace.pending_messages.committed_at is 'When the source committed the change.';
comment on column millrace.pending_messages.message is 'The message as it is delivered.';
comment on column millrace.parked_messages.stage is 'Where it failed: capture, shape, send, settle or receive.';
comment on column millrace.parked_messages.parked_at is 'When it was put aside.';
comment on column millrace.sink_status.health is 'ok, or why nothing is delivered: the circuit''s reason, source_<state>, paused, disabled.';
comment on column millrace.sink_status.pending is 'Messages that are not settled, without the parked ones.';
comment on column millrace.sink_status.retrying is 'Of them: backing off, or held behind one that does.';
comment on column millrace.sink_status.parked is 'Messages that failed for good: see millrace.parked_messages.';
comment on column millrace.sink_status.oldest_committed_at is 'Commit time of the oldest message.';
comment on column millrace.sink_status.error is 'The destination''s own answer while the circuit is open.';
comment on column millrace.sink_status.failing_since is 'When the circuit opened.';
comment on column millrace.sink_status.next_probe_at is 'When the destination is asked again.';
comment on column millrace.sink_status.notices is 'Warnings with their remedies: code, table, message, remedy, since.';
comment on column millrace.consumer_status.leased is 'Messages that clients have now.';
comment on column millrace.consumer_status.held is 'Messages behind an earlier one of their group.';
comment on column millrace.consumer_status.next_due_at is 'When the next lease ends or the next retry is due.';
comment on column millrace.consumer_status.blocked_by is 'Backends whose open transaction keeps receive waiting.';
comment on column millrace.database_status.state is 'starting, streaming, standby, error or needs_resync.';
comment on column millrace.database_status.reason is 'Why it is in this state.';
comment on column millrace.database_status.remedy is 'What to run to mend it.';
comment on column millrace.database_status.epoch is 'A stretch of history without a gap; millrace.accept_gap begins a new one.';
comment on column millrace.database_status.commit_lsn is 'The last transaction whose changes are kept here.';
comment on column millrace.database_status.confirmed_lsn is 'What the source was told it may forget.';

-- A role for people and dashboards, where we may make one: it sees the views and nothing else.
do $$
begin
  create role millrace_reader nologin;
exception
  when duplicate_object or unique_violation or insufficient_privilege then null;
end
$$;
do $$
begin
  if exists (select from pg_roles where rolname = 'millrace_reader') then
    -- The views call functions of the other schema; its tables stay closed.
    grant usage on schema millrace, millrace_private to millrace_reader;
    grant select on all tables in schema millrace to millrace_reader;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
-- Functions of millrace_private run with the caller's rights, and nobody else has any on its tables.
revoke execute on all functions in schema millrace from public;
do $$
begin
  if exists (select from pg_roles where rolname = 'millrace_reader') then
    grant execute on function millrace.metrics() to millrace_reader;
  end if;
end
$$;
