-- What was said of these tables before the last $3 seconds: the index has been seen to be what they are.
delete from millrace_private.notices n
 where n.sink_no = $1::integer and n.table_name = any ($2::text[])
   and n.code in ('truncated', 'table_detached', 'added_late', 'values_left_out')
   and n.created_at < clock_timestamp() - make_interval(secs => $3::double precision)
