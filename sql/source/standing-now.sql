-- The snapshot, then where the WAL ended.
select s::text as snapshot, pg_current_wal_insert_lsn()::text as lsn,
       pg_catalog.to_regclass('millrace_capture.changes')::oid::bigint as changes_oid
  from pg_current_snapshot() s
