select millrace.disable($1::text) as changed
