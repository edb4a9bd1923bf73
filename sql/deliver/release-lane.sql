update millrace_private.lanes l
   set owner = null, until = null, session = null, waiting_since = null
 where l.sink_no = $1::integer and l.lane = $2::smallint and l.owner = $3::text
