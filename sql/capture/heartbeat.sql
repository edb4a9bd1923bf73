-- The source's clock, in milliseconds.
select pg_logical_emit_message(false, 'millrace:heartbeat', ''), (extract(epoch from clock_timestamp()) * 1000)::double precision as clock_ms
