delete from millrace_private.circuits c where c.sink_no = $1::integer
