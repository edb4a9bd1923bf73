delete from millrace_private.capture_switches s where s.database_no = $1::integer
