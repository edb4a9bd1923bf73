select t.name, t.hash, t.scopes, t.weak, t.revoked_at is not null as revoked, t.managed_by
  from millrace_private.api_tokens t
 order by t.created_at, t.name
