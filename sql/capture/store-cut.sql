-- Only by whoever streams, while the database is captured by slot $3: nothing is stored when another capture has taken over.
insert into millrace_private.capture_switches as s
       (database_no, epoch, way, snapshot, until_lsn, base_lsn, changes_oid, wal_lsn, told_lsn)
select p.database_no, p.epoch, $4::text, $5::text, $6::pg_lsn, $7::pg_lsn, $8::bigint, null, null
  from millrace_private.positions p
 where p.database_no = $1::integer and p.generation = $2::bigint and p.slot_name = $3::text and p.system_identifier is not null
   for no key update
    on conflict (database_no) do update
   set epoch = excluded.epoch, way = excluded.way, snapshot = excluded.snapshot, until_lsn = excluded.until_lsn,
       base_lsn = excluded.base_lsn, changes_oid = excluded.changes_oid, wal_lsn = null, told_lsn = null
