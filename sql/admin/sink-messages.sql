select s.pending, s.parked from millrace.sink_status s where s.sink_name = $1::text
