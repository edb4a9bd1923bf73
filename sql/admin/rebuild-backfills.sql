select b.id
  from millrace_private.backfills b
  join millrace_private.sinks s on s.no = b.sink_no
 where s.name = $1::text and b.kind = 'all'
 order by b.no desc
 limit 1
