select t.id, t.name from millrace_private.api_tokens t where t.hash = $1::bytea and t.revoked_at is null
   and (t.expires_at is null or t.expires_at > clock_timestamp())
