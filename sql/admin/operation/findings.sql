select f.no, f.finding
  from millrace_private.operation_findings f
 where f.operation_id = $1::uuid and f.no > $2::integer
 order by f.no
 limit $3::integer
