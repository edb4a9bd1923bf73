update millrace_private.lanes l
   set alone = $4::bigint, alone_deaths = 0
 where l.sink_no = $1::integer and l.lane = $2::smallint and l.owner = $3::text and l.until > clock_timestamp()
