delete from millrace_private.recent_messages r
 where r.ctid = any (array(
         select o.ctid from millrace_private.recent_messages o
          where not exists (select from millrace_private.previews p
                             where p.sink_no = o.sink_no and p.until > clock_timestamp() - interval '1 h')
          limit $1::integer))
