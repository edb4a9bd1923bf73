select pg_current_wal_insert_lsn()::text as lsn
