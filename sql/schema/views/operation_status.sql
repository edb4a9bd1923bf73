-- One for all tables is over when those of its tables are: which these are says admin/watched.sql too.
create or replace view millrace.operation_status as
  select b.id, case when b.kind = 'replay' then 'replay' else 'backfill' end as kind,
         s.name as sink_name, d.name as database_name, b.table_schema, b.table_name,
         r.state, coalesce(t.reason, b.reason) as reason, coalesce(t.remedy, b.remedy) as remedy,
         r.rows_done, r.rows_sent, r.rows_total,
         case when r.state = 'done' then 100
              when r.rows_total > 0 then least(99, floor(100.0 * r.rows_done / r.rows_total))::integer end as percent,
         p.rows_per_second,
         case when r.state = 'running' and r.rows_total > r.rows_done and p.rows_per_second > 0
              then make_interval(secs => (r.rows_total - r.rows_done) / p.rows_per_second) end as time_left,
         b.sort_column, b.start_position, b.created_at, b.started_at,
         coalesce(t.moved_at, b.moved_at, b.started_at, b.created_at) as updated_at,
         case when r.state in ('done', 'failed', 'cancelled') then greatest(t.ended_at, b.ended_at) end as ended_at,
         null::text as phase, null::jsonb as result, null::integer as attempt, null::text as requested_by,
         null::jsonb as steps, null::text[] as lines
    from millrace_private.backfills b
    join millrace_private.sinks s on s.no = b.sink_no
    join millrace_private.databases d on d.id = s.database_id
    left join lateral (
      select count(*) filter (where k.state in ('waiting', 'running')) as running,
             count(*) filter (where k.state = 'paused') as paused,
             count(*) filter (where k.state = 'failed') as failed,
             count(*) filter (where k.state = 'cancelled') as cancelled,
             sum(k.rows_done)::bigint as rows_done, sum(k.rows_sent)::bigint as rows_sent,
             sum(k.rows_total)::bigint as rows_total, sum(k.running_seconds) as running_seconds,
             min(k.reason) filter (where k.state = 'failed') as reason,
             min(k.remedy) filter (where k.state = 'failed') as remedy,
             max(k.moved_at) as moved_at, max(k.ended_at) as ended_at
        from millrace_private.backfills k
       where b.kind = 'all' and b.state = 'done' and k.sink_no = b.sink_no and k.kind = 'table'
         and k.created_at <= b.ended_at + interval '1 s'
         and (k.no > b.no or k.ended_at is null or k.ended_at >= b.ended_at)) t on true
   cross join lateral (
      select case when t.running > 0 then 'running' when t.paused > 0 then 'paused'
                  when t.failed > 0 then 'failed' when t.cancelled > 0 then 'cancelled' else b.state end as state,
             coalesce(t.rows_done, b.rows_done) as rows_done, coalesce(t.rows_sent, b.rows_sent) as rows_sent,
             coalesce(t.rows_total, b.rows_total) as rows_total) r
   cross join lateral (
      select round((r.rows_done / nullif(coalesce(t.running_seconds, b.running_seconds), 0))::numeric, 1)
             as rows_per_second) p
   union all
  select o.id, o.kind, s.name, d.name, null, o.progress ->> 'table', o.state,
         case when w.is_lone then 'no worker is there to take it' else o.reason end,
         case when w.is_lone then 'Run bin/millrace start, or a worker process.' else o.remedy end,
         coalesce((o.progress ->> 'done')::bigint, 0), coalesce((o.progress ->> 'sent')::bigint, 0),
         (o.progress ->> 'total')::bigint,
         case when o.state = 'done' then 100 else (o.progress ->> 'percent')::integer end,
         (o.progress ->> 'per_second')::numeric,
         case when o.state = 'running' then make_interval(secs => (o.progress ->> 'seconds_left')::double precision) end,
         null, null, o.created_at, o.started_at, coalesce(o.ended_at, o.moved_at, o.started_at, o.created_at), o.ended_at,
         o.phase, o.result, o.attempt, o.requested_by, o.steps, o.lines
    from millrace_private.operations o
    join millrace_private.databases d on d.no = o.database_no
    left join millrace_private.sinks s on s.no = o.sink_no
   cross join lateral (
      select o.state in ('waiting', 'running') and coalesce(o.until < clock_timestamp(), true)
             and not millrace_private.is_fresh((select b.at from millrace_private.worker_beats b order by b.seq desc limit 1))
             as is_lone) w;
comment on view millrace.operation_status is
  'One row for each job that an operator asked for, including those that have ended: backfills (one for all tables with those of its tables), replays, verifications, rebuilds, resyncs, and messages that are retried or discarded where they are many.';
comment on column millrace.operation_status.kind is 'backfill, replay, verify, rebuild, resync, retry or discard.';
comment on column millrace.operation_status.sink_name is 'Null: a resync is of all sinks of its database.';
comment on column millrace.operation_status.table_name is 'Null: all tables of the sink. Of a verification: what it compares now.';
comment on column millrace.operation_status.state is 'waiting, running, paused, done, cancelled or failed.';
comment on column millrace.operation_status.reason is 'What it waits for, or why it failed.';
comment on column millrace.operation_status.remedy is 'What to do about it.';
comment on column millrace.operation_status.rows_done is 'As in millrace.backfill_status, and so the other figures; of a retry or discard: messages.';
comment on column millrace.operation_status.updated_at is 'When it moved last.';
comment on column millrace.operation_status.phase is 'What it does now: of what a worker does, and so the columns below.';
comment on column millrace.operation_status.result is 'Null until it is done.';
comment on column millrace.operation_status.attempt is 'How often a worker took it up; after five it fails.';
comment on column millrace.operation_status.steps is 'What is over, with its time.';
comment on column millrace.operation_status.lines is 'What a person sees who watches.';
