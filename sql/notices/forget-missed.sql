delete from millrace_private.notices n
 where n.sink_no = $1::integer and n.table_name = any ($2::text[])
   and n.code = any (millrace_private.missed_codes() || 'values_left_out'::text)
   and n.created_at < clock_timestamp() - make_interval(secs => $3::double precision)
