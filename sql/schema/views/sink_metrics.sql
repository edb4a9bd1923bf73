-- As each process wrote it, at most 10 s ago. A minute or an hour in which nothing happened has no row.
create or replace view millrace.sink_metrics as
  select s.name as sink_name, c.step, c.at, c.persisted, c.delivered, c.failed, c.retried, c.parked, c.discarded, c.bytes,
         millrace_private.latency_share(c.latency, 0.5) as p50_ms,
         millrace_private.latency_share(c.latency, 0.9) as p90_ms,
         millrace_private.latency_share(c.latency, 0.99) as p99_ms,
         c.latency as latency_buckets,
         millrace_private.latency_share(c.latency, 0.95) as p95_ms
    from millrace_private.sink_counters c
    join millrace_private.sinks s on s.no = c.sink_no;
comment on view millrace.sink_metrics is
  'What became of the messages of each sink, by minutes of the last 24 hours and by hours of the last 31 days.';
comment on column millrace.sink_metrics.step is 'minute or hour.';
comment on column millrace.sink_metrics.at is 'When it began.';
comment on column millrace.sink_metrics.delivered is
  'Of a pull consumer: acknowledged over HTTP. What was acknowledged from psql is not counted.';
comment on column millrace.sink_metrics.failed is 'Deliveries that failed: retried, or parked.';
comment on column millrace.sink_metrics.bytes is 'Of what was persisted.';
comment on column millrace.sink_metrics.p50_ms is
  'Half of the messages took no longer from their commit to their delivery; null where none was delivered.';
comment on column millrace.sink_metrics.p95_ms is 'As p50_ms, of 95 in a hundred.';
comment on column millrace.sink_metrics.latency_buckets is
  'Messages by that time: up to 1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 200, 500 ms, 1, 2, 5, 15 s, 1, 5, 15 min, 1, 4, 12, 24 h, and longer.';
