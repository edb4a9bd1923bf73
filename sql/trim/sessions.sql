delete from millrace_private.sessions s
 where s.id = any (array(
         select o.id from millrace_private.sessions o
          where o.expires_at < clock_timestamp() - interval '1 h'
             or o.seen_at < clock_timestamp() - interval '7 days 1 h'
          limit $1::integer))
