select millrace_private.add_sink_storage($1::integer)
