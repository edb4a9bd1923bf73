select s.sink_name as name, s.pending, s.parked
  from millrace.sink_status s
 where s.sink_name = any ($1::text[])
