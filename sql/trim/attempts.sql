-- A day after the last one of a message that has gone.
delete from millrace_private.attempts a
 where a.ctid = any (array(
         select o.ctid from millrace_private.attempts o
          where o.at < clock_timestamp() - interval '24 h'
            and not exists (select from millrace_private.delivery_states x where x.sink_no = o.sink_no and x.id = o.id)
          limit $1::integer))
