update millrace_private.lanes l
   set alone = $4::bigint, alone_begun = $5::boolean,
       alone_deaths = case when l.alone = $4::bigint then l.alone_deaths else 0 end
 where l.sink_no = $1::integer and l.lane = $2::smallint and l.owner = $3::text and l.until > clock_timestamp()
