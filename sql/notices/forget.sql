delete from millrace_private.notices n where n.sink_no = $1::integer and n.code = any ($2::text[])
