select millrace.replay($1::text, $2::text, $3::timestamptz, $4::timestamptz, $5::bigint, $6::bigint, $7::text[]) as id
