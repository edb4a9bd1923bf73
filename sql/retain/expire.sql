delete from <event_table> e
 where e.committed_at < now() - make_interval(secs => $1::double precision)
   and e.id = any (array(
         select o.id from <event_table> o
          where o.committed_at < now() - make_interval(secs => $1::double precision)
          limit $2::integer))
