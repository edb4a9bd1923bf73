-- May follow what a change table's triggers needed their own path for: every name is qualified.
select millrace_private.settle($1::integer, $2::integer, $3::pg_catalog.text, $4::bigint, $5::bigint, $6::bigint[],
                               $7::pg_catalog.jsonb, $8::bigint[])
