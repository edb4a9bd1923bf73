update millrace_private.circuits c
   set probe_at = clock_timestamp() + $2::integer * interval '1 ms'
 where c.sink_no = $1::integer and c.probe_at <= clock_timestamp()
