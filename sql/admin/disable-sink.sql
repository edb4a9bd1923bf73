select set_config('millrace.reason', coalesce($2::text, ''), true), millrace.disable($1::text) as changed
