-- What waits in each sink, and its health, for whoever looks at all of them again and again: a glance at the messages (see
-- glance_pending), which costs the same however many there are. Otherwise as in millrace.sink_status.
create or replace function millrace_private.sinks_backlog() returns table (
  sink_name text, kind text, level text, reasons text[], pending bigint, retrying bigint, parked bigint,
  oldest_committed_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select s.name, s.kind, h.level, h.reasons, p.pending, x.retrying, x.parked, h.oldest_committed_at
    from millrace_private.sinks s
    join millrace_private.sinks_health(array(select a.no from millrace_private.sinks a)) h on h.sink_no = s.no
   cross join lateral millrace_private.count_states(s.no) x
   cross join lateral millrace_private.glance_pending(s.no, x.parked) p
$$;
