select millrace.resume($1::text) as changed
