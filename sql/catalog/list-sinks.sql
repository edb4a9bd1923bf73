select s.no, s.name, s.kind, s.status, s.settings, s.secret, s.lanes, d.name as database_name
  from millrace_private.sinks s
  join millrace_private.databases d on d.id = s.database_id
