select millrace_private.retry_messages($1::integer, $2::bigint[]) as count
