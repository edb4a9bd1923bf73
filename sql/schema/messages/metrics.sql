-- Figures for whoever scrapes by SQL; /metrics shows the same. Each list is read once.
create or replace function millrace.metrics() returns table (name text, labels jsonb, value double precision)
language sql stable
set search_path = pg_catalog, pg_temp as $$
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
$$;
comment on function millrace.metrics() is
  'The figures of /metrics that the database knows, one row for each, for tools that scrape by SQL.';
