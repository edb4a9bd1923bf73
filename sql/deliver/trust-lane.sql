update millrace_private.lanes l
   set deaths = 0, alone = null, alone_deaths = 0, alone_begun = null
 where l.sink_no = $1::integer and l.lane = $2::smallint and l.owner = $3::text
