-- $1: an id, or null for all.
select t.id, t.name, t.prefix, t.scopes, t.weak, t.managed_by, t.declared_from, t.created_by, t.created_at, t.expires_at,
       t.last_used_at, t.revoked_at
  from millrace_private.api_tokens t
 where $1::uuid is null or t.id = $1::uuid
 order by t.name
