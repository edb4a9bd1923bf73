select s.way, s.snapshot, s.until_lsn::text as until_lsn, s.base_lsn::text as base_lsn, s.changes_oid,
       s.wal_lsn::text as wal_lsn, s.told_lsn::text as told_lsn
  from millrace_private.capture_switches s
  join millrace_private.positions p on p.database_no = s.database_no and p.epoch = s.epoch
 where s.database_no = $1::integer
