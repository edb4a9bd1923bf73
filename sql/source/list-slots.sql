-- Every replication slot of the server: how much WAL it keeps, and how much more may be written before it is lost.
select s.slot_name::text as name, s.slot_type as kind, s.database::text as database, s.active_pid,
       a.application_name as application, s.wal_status,
       (case when pg_is_in_recovery() then 0 else pg_current_wal_lsn() - s.restart_lsn end)::float8 as kept_bytes,
       s.safe_wal_size::float8 as safe_bytes
  from pg_catalog.pg_replication_slots s
  left join pg_catalog.pg_stat_activity a on a.pid = s.active_pid
 order by kept_bytes desc nulls last, s.slot_name
