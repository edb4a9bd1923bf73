delete from millrace_private.sink_counters c
 where c.ctid = any (array(
         select o.ctid from millrace_private.sink_counters o
          where o.step = 'minute' and o.at < clock_timestamp() - interval '24 h'
             or o.step = 'hour' and o.at < clock_timestamp() - interval '31 days'
          limit $1::integer))
