select millrace.pause($1::text) as changed
