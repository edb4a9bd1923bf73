select millrace_private.settle($1::integer, $2::integer, $3::text, $4::bigint, $5::bigint, $6::bigint[], $7::jsonb,
                               $8::bigint[])
