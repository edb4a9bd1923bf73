-- Nothing where the password was changed meanwhile ($2: the one that was right). A person has 100 sessions at most: the ones that were
-- used longest ago end.
with person as (
  update millrace_private.users u set last_login_at = clock_timestamp()
   where u.id = $1::uuid and u.password = $2::text
  returning u.id
), ended as (
  delete from millrace_private.sessions s
   using person p
   where s.user_id = p.id
     and (s.expires_at < clock_timestamp() or s.seen_at < clock_timestamp() - interval '7 days'
          or s.id in (select o.id from millrace_private.sessions o where o.user_id = p.id
                       order by o.seen_at desc offset 99))
)
insert into millrace_private.sessions (user_id, hash, expires_at, address, user_agent)
select p.id, $3::bytea, clock_timestamp() + interval '30 days', $4::text, $5::text from person p
returning id, user_id, expires_at
