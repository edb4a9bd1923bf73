select o.id
  from millrace_private.operations o
 where o.kind = $1::text and o.state in ('waiting', 'running', 'paused')
   and coalesce((select s.name from millrace_private.sinks s where s.no = o.sink_no),
                (select d.name from millrace_private.databases d where d.no = o.database_no)) = $2::text
