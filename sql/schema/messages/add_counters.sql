-- Adds what a process has counted since it wrote last: [{"sink_no": 1, "persisted": 2, ..., "latency": [...], "latency_ms": 7.5}].
-- What is not named is 0. first_ago_ms, last_ago_ms, last_ms: when it delivered first and last, so long before now, and how long after its
-- commit the last one came; a release that does not say has just delivered. Sinks that were removed meanwhile are left out. Rows are locked by the number of the sink, first of counters and then of
-- totals, so that two processes never wait for each other.
create or replace function millrace_private.add_counters(p_counts jsonb) returns void
language plpgsql set lock_timeout = '2s'
set search_path = pg_catalog, pg_temp as $$
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
$$;
