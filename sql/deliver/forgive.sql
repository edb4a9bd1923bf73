delete from millrace_private.notices n
 where n.sink_no = $1::integer and n.code in ('function_kills', 'destination_gone')
