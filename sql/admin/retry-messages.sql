select millrace.retry($1::text, $2::bigint[]) as count
