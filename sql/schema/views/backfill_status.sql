-- Also of those that have ended, for as long as they are kept.
create or replace view millrace.backfill_status as
  select b.id, s.name as sink_name, b.kind, b.table_schema, b.table_name, b.state, b.reason, b.remedy,
         b.rows_done, b.rows_sent, b.rows_total,
         case when b.state = 'done' then 100
              when b.rows_total > 0 then least(99, floor(100.0 * b.rows_done / b.rows_total))::integer end as percent,
         r.rows_per_second,
         case when b.state = 'running' and b.rows_total > b.rows_done and r.rows_per_second > 0
              then make_interval(secs => (b.rows_total - b.rows_done) / r.rows_per_second) end as time_left,
         b.sort_column, b.start_position, b.created_at, b.started_at, b.ended_at
    from millrace_private.backfills b
    join millrace_private.sinks s on s.no = b.sink_no
   cross join lateral (select round((b.rows_done / nullif(b.running_seconds, 0))::numeric, 1) as rows_per_second) r;
comment on view millrace.backfill_status is
  'One row for each backfill, including those that have ended: its progress, what it waits for, why it failed. Its messages are pending until they are delivered: see sink_status.';
comment on column millrace.backfill_status.kind is
  'all (makes one for each table), table, keys (listed rows) or replay (of a change table).';
comment on column millrace.backfill_status.state is 'waiting, running, paused, done, cancelled or failed.';
comment on column millrace.backfill_status.reason is 'What it waits for, or why it failed.';
comment on column millrace.backfill_status.remedy is 'What to do about it.';
comment on column millrace.backfill_status.rows_done is 'Rows read.';
comment on column millrace.backfill_status.rows_sent is
  'Of them: sent as messages. The others do not pass the filters, or changed meanwhile and were sent as that change.';
comment on column millrace.backfill_status.rows_total is
  'Rows to read, by the planner''s estimate; of a replay its entries, counted.';
comment on column millrace.backfill_status.rows_per_second is 'While it was running.';
comment on column millrace.backfill_status.time_left is 'At that rate.';
