select millrace.resync($1::text, $2::boolean)::text as id
