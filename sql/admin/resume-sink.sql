select set_config('millrace.reason', coalesce($2::text, ''), true), millrace.resume($1::text) as changed
