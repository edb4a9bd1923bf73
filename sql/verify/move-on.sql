select pg_logical_emit_message(true, 'millrace:verify', '')
