-- Tables of which sinks of database $1 are told that the publication does not list them.
select distinct n.table_name as name
  from millrace_private.notices n
  join millrace_private.sinks s on s.no = n.sink_no
  join millrace_private.databases d on d.id = s.database_id
 where d.no = $1::integer and n.code = 'not_published'
