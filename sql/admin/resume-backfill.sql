select millrace.resume_backfill($1::uuid) as changed
