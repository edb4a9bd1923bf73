-- Tables of which something is said with one of these codes, on any sink of the database.
select distinct n.table_name as name
  from millrace_private.notices n
  join millrace_private.sinks s on s.no = n.sink_no
  join millrace_private.databases d on d.id = s.database_id
 where d.no = $1::integer and n.code = any ($2::text[])
