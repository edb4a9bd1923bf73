-- $1: hashes; $2: weak ones are good too. When they were used is noted once a minute, unless somebody is changing them.
with found as (
  select t.id, t.hash, t.name, t.scopes, t.last_used_at,
         extract(epoch from t.expires_at - clock_timestamp())::double precision * 1000 as left_ms
    from millrace_private.api_tokens t
   where t.hash = any ($1::bytea[]) and t.revoked_at is null and ($2::boolean or not t.weak)
     and (t.expires_at is null or t.expires_at > clock_timestamp())
), unnoted as (
  select t.id from millrace_private.api_tokens t
   where t.id in (select f.id from found f
                   where f.last_used_at is null or f.last_used_at < clock_timestamp() - interval '1 minute')
     for no key update skip locked
), noted as (
  update millrace_private.api_tokens t
     set last_used_at = date_trunc('second', clock_timestamp())
    from unnoted u
   where t.id = u.id
)
select encode(f.hash, 'hex') as hash, f.id, f.name, f.scopes, f.left_ms from found f
