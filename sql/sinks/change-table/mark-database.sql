select pg_catalog.pg_backend_pid() as pid, pg_catalog.pg_advisory_xact_lock($1::integer, $2::integer)
