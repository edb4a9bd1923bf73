-- Nothing is read by it: what $2 sees was there before capture began.
insert into millrace_private.capture_plans (database_no, no, epoch, from_snapshot, to_snapshot, first_lsn)
select p.database_no,
       coalesce((select max(l.no) from millrace_private.capture_plans l where l.database_no = p.database_no), 0) + 1,
       p.epoch, $2::text, $2::text, $3::pg_lsn
  from millrace_private.positions p
 where p.database_no = $1::integer
