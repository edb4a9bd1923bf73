select d.database_name as name, d.state, d.state_since, d.level, d.reasons
  from millrace.database_status d
 order by d.database_name
