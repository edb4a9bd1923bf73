select s.sink_name as name, s.kind, s.level, s.reasons, s.pending::double precision as pending,
       s.retrying::double precision as retrying, s.parked::double precision as parked,
       extract(epoch from clock_timestamp() - s.oldest_committed_at)::double precision as oldest_seconds
  from millrace_private.sinks_backlog() s
