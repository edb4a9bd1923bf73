-- The transaction that has been open for longest among those that have written: a slot keeps WAL from where it began. Of another
-- role's session Postgres may hide all but the process. One that is prepared has no process; since when it is open nobody says, so it is
-- since when it was prepared.
select w.pid, w.prepared, w.username, w.application, w.since
  from (select a.pid, null as prepared, a.usename::text as username, a.application_name as application, a.xact_start as since
          from pg_catalog.pg_stat_activity a
         where a.backend_xid is not null and a.pid <> pg_backend_pid()
         union all
        select null, p.gid, p.owner::text, null, p.prepared from pg_catalog.pg_prepared_xacts p) w
 order by w.since nulls last
 limit 1
