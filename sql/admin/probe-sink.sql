select millrace.probe($1::text) as probed
