-- That of a file stays, revoked, so that the next apply does not bring it back.
with gone as (
  delete from millrace_private.api_tokens t where t.id = $1::uuid and t.managed_by = 'api' returning t.name
), revoked as (
  update millrace_private.api_tokens t
     set revoked_at = coalesce(t.revoked_at, clock_timestamp())
   where t.id = $1::uuid and t.managed_by = 'file'
  returning t.name
)
select g.name from gone g union all select r.name from revoked r
