select encode(t.hash, 'hex') as hash, t.id, t.name, t.scopes
  from millrace_private.api_tokens t
 where t.hash = any ($1::bytea[]) and t.revoked_at is null and ($2::boolean or not t.weak)
