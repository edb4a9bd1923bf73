-- The transaction that has been open for longest among those that have written: a slot keeps WAL from where it began. Of another
-- role's session Postgres may hide all but the process.
select a.pid, a.usename::text as username, a.application_name as application, a.xact_start as since
  from pg_catalog.pg_stat_activity a
 where a.backend_xid is not null and a.pid <> pg_backend_pid()
 order by a.xact_start nulls last
 limit 1
