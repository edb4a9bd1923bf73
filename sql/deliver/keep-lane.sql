update millrace_private.lanes l
   set until = clock_timestamp() + $4::integer * interval '1 ms'
 where l.sink_no = $1::integer and l.lane = $2::smallint and l.owner = $3::text
