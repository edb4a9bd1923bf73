-- Of a sink that nobody has tried: the first that happens is a try.
insert into millrace_private.circuits (sink_no, reason, error, probe_at)
select s.no, 'unreachable', 'not tried yet: it was made without Test Connection', now()
  from millrace_private.sinks s
 where s.name = $1::text
