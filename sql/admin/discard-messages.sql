select millrace.discard($1::text, $2::bigint[]) as count
