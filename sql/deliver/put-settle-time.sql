update millrace_private.recent_messages r
   set settle_ms = $3::bigint
 where r.sink_no = $1::integer and r.id = $2::bigint and r.settle_ms is null
