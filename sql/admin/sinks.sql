select s.no, s.id, s.name, s.kind, s.replaces, s.status, s.settings
  from millrace_private.sinks s
 order by s.name
