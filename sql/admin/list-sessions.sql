-- Those that have not ended: of $1, the one that was used last comes first.
select s.id, s.user_id, s.created_at, s.seen_at, least(s.expires_at, s.seen_at + interval '7 days') as expires_at, s.address,
       s.user_agent
  from millrace_private.sessions s
 where s.user_id = $1::uuid and s.expires_at > clock_timestamp() and s.seen_at > clock_timestamp() - interval '7 days'
 order by s.seen_at desc, s.id
