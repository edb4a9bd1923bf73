select s.sink_name as name, s.kind, s.database_name as database, s.status, s.health, s.level, s.reasons, s.failing_since
  from millrace.sink_status s
 order by s.sink_name
