-- Found by a hash of those that are still detached: there may be thousands.
update millrace_private.notices n
   set remedy = millrace_private.how_to_catch_up(n.sink_no, n.code, n.table_name)
  from millrace_private.sinks s
  join millrace_private.databases d on d.id = s.database_id
 where s.no = n.sink_no and d.no = $1::integer and n.code = 'table_detached' and n.remedy like 'alter publication %'
   and (n.sink_no, n.table_name) not in (select f.sink_no, f.table_name from unnest($2::integer[], $3::text[]) f (sink_no, table_name))
