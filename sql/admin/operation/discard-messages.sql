select millrace_private.discard_messages($1::integer, $2::bigint[]) as count
