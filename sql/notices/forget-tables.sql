delete from millrace_private.notices n
 using millrace_private.sinks s, millrace_private.databases d
 where d.no = $1::integer and s.database_id = d.id and n.sink_no = s.no and n.code = any ($2::text[])
   and n.table_name = any ($3::text[])
