select millrace_private.add_counters($1::jsonb)
