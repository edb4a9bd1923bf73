select t.id, t.name from millrace_private.api_tokens t where t.hash = $1::bytea and t.revoked_at is null
