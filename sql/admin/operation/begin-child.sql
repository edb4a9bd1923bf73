select millrace_private.begin_operation('verify', s.no, d.no, '{"repair": true}', $1::uuid) as id
  from millrace_private.sinks s
  join millrace_private.databases d on d.id = s.database_id
 where s.no = $2::integer
