select millrace.cancel_backfill($1::uuid) as changed
