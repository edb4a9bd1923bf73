select b.state, b.reason, b.remedy, b.rows_done
  from millrace_private.backfills b
 where b.no = any ($1::integer[])
 order by b.no
