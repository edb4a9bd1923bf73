select millrace_private.reveal_shaped($1::integer, $2::bigint[])
