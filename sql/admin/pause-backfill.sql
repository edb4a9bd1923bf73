select millrace.pause_backfill($1::uuid) as changed
