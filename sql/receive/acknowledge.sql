select millrace_private.acknowledge($1::integer, $2::text[]) as count
