-- The position stays; what may be confirmed is another slot's.
insert into millrace_private.position_log (database_no, seq, epoch, commit_lsn, commit_idx, confirmed_lsn, next_id)
select l.database_no, l.seq + 1, l.epoch, l.commit_lsn, l.commit_idx, $2::pg_lsn, l.next_id
  from millrace_private.position_log l
 where l.database_no = $1::integer
 order by l.seq desc
 limit 1
