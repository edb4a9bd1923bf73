select s.id, s.no, s.name, s.kind, s.status, s.settings, s.secret, s.lanes, d.name as database_name,
       s.managed_by, s.released, s.entry_name, s.version, s.updated_by, s.declared_status, s.private_ok,
       exists (select from millrace_private.notices n where n.sink_no = s.no and n.code = 'function_kills') as killed
  from millrace_private.sinks s
  join millrace_private.databases d on d.id = s.database_id
 order by s.no
