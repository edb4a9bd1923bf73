-- Who has the turn to read what triggers have noted.
select l.pid, a.application_name as application
  from pg_catalog.pg_locks l
  left join pg_catalog.pg_stat_activity a on a.pid = l.pid
 where l.locktype = 'relation' and l.granted and l.pid <> pg_catalog.pg_backend_pid()
   and l.relation = pg_catalog.to_regclass('millrace_capture.reader')
   and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
   and l.mode in ('ExclusiveLock', 'AccessExclusiveLock')
 order by l.pid
 limit 1
