-- Since each sink was made.
select s.name, s.kind, t.persisted::double precision as persisted, t.delivered::double precision as delivered,
       t.failed::double precision as failed, t.retried::double precision as retried, t.parked::double precision as parked,
       t.discarded::double precision as discarded, t.bytes::double precision as bytes,
       t.latency::double precision[] as latency, t.latency_ms
  from millrace_private.sink_totals t
  join millrace_private.sinks s on s.no = t.sink_no
 order by s.name collate "C"
