-- $1: hashes. 7 days without a request end a session, and its own end does. When it was used is noted once a minute.
with found as (
  select s.id, s.hash, s.seen_at, u.id as user_id, u.email, u.name, u.scopes,
         extract(epoch from least(s.expires_at, s.seen_at + interval '7 days') - clock_timestamp())::double precision
           * 1000 as left_ms
    from millrace_private.sessions s
    join millrace_private.users u on u.id = s.user_id
   where s.hash = any ($1::bytea[]) and s.expires_at > clock_timestamp()
     and s.seen_at > clock_timestamp() - interval '7 days'
), unnoted as (
  select s.id from millrace_private.sessions s
   where s.id in (select f.id from found f where f.seen_at < clock_timestamp() - interval '1 minute')
     for no key update skip locked
), noted as (
  update millrace_private.sessions s set seen_at = clock_timestamp() from unnoted u where s.id = u.id
)
select encode(f.hash, 'hex') as hash, f.id, f.user_id, f.email, f.name, f.scopes, f.left_ms from found f
