select millrace_private.record_change($1::text, $2::text, $3::jsonb, $4::jsonb, $5::text)
