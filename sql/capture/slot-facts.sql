select s.plugin, s.database, s.active, s.confirmed_flush_lsn, s.wal_status,
       s.database = current_database() as here
  from pg_catalog.pg_replication_slots s
 where s.slot_name = $1::name
