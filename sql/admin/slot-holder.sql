select s.active, a.pid, a.application_name
  from pg_replication_slots s
  left join pg_stat_activity a on a.pid = s.active_pid
 where s.slot_name = $1::name and s.plugin = 'pgoutput' and s.database = current_database()
