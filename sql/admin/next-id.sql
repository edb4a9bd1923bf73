select s.no as sink_no,
       coalesce((select l.next_id from millrace_private.position_log l where l.database_no = d.no order by l.seq desc limit 1), 0)
         as next_id
  from millrace_private.sinks s
  join millrace_private.databases d on d.id = s.database_id
 where s.name = $1::text
