select s.metadata from millrace_private.sinks s where s.no = $1::integer
