select coalesce(max(l.next_id), 0)::bigint as next_id
  from millrace_private.databases d
 cross join lateral (select g.next_id from millrace_private.position_log g
                      where g.database_no = d.no order by g.seq desc limit 1) l
 where d.name = $1::text
