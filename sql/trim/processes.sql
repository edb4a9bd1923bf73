delete from millrace_private.processes p
 where p.id = any (array(
         select o.id from millrace_private.processes o
          where o.seen_at < clock_timestamp() - interval '1 h'
          limit $1::integer))
