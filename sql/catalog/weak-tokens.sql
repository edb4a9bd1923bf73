select t.name from millrace_private.api_tokens t where t.weak and t.revoked_at is null order by t.name
