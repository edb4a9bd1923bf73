-- committed: when the first and the last of them were committed, if it says so: seconds since 1970, for counting latencies.
select millrace_private.acknowledge($1::integer, $2::text[]) as count, current_setting('millrace.committed', true) as committed
