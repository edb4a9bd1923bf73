-- $1: an id, or null for all.
select u.id, u.email, u.name, u.scopes, u.password is not null as has_password, u.created_by, u.created_at, u.updated_at,
       u.last_login_at,
       (select count(*)::integer from millrace_private.sessions s
         where s.user_id = u.id and s.expires_at > clock_timestamp()
           and s.seen_at > clock_timestamp() - interval '7 days') as sessions
  from millrace_private.users u
 where $1::uuid is null or u.id = $1::uuid
 order by u.email
