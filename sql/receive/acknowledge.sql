select a.counts, a.committed from millrace_private.acknowledge_leases($1::integer, $2::text[], $3::text[]) a
