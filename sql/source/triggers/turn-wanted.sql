-- Does somebody wait for the lock that is the reader's turn? Whoever drops the schema does, and holds by then what writers need.
select from pg_catalog.pg_locks l
 where l.locktype = 'relation' and not l.granted
   and l.relation = pg_catalog.to_regclass('millrace_capture.reader')
   and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
