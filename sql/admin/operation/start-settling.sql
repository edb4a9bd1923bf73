select millrace_private.begin_settling($1::text, $2::text, $3::jsonb, $4::bigint) as id
