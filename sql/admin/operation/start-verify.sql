select millrace.verify($1::text, $2::boolean, $3::integer) as id
