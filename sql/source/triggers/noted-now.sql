select pg_current_snapshot()::text as snapshot, pg_snapshot_xmax(pg_current_snapshot())::text as next_xid,
       pg_catalog.to_regclass('millrace_capture.changes')::oid::bigint as changes_oid
