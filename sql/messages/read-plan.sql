select l.no, l.from_snapshot as "from", l.to_snapshot as "to", l.first_lsn::text as first_lsn
  from millrace_private.capture_plans l
  join millrace_private.positions p on p.database_no = l.database_no and p.epoch = l.epoch
 where l.database_no = $1::integer
 order by l.no desc
 limit 1
