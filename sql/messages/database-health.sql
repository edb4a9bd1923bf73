select d.database_name as name, d.state, d.state_since
  from millrace.database_status d
 order by d.database_name
