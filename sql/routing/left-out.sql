-- Sinks that leave this table of the database out, for it has no key.
select n.sink_no as no
  from millrace_private.notices n
  join millrace_private.sinks s on s.no = n.sink_no
  join millrace_private.databases d on d.id = s.database_id
 where d.no = $1::integer and n.code = 'no_primary_key' and n.table_name = $2::text
