select millrace_private.sample_message($1::integer, $2::bigint, $3::pg_catalog.jsonb, $4::pg_catalog.text)
