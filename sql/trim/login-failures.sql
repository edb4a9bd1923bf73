delete from millrace_private.login_failures f
 where f.id = any (array(
         select o.id from millrace_private.login_failures o
          where o.at < clock_timestamp() - interval '1 h'
          order by o.id limit $1::integer))
