select coalesce((select c.id from millrace_private.cursor_log c
                  where c.sink_no = $1::integer and c.lane = $2::smallint order by c.seq desc limit 1), 0) as cursor,
       millrace_private.next_due($1::integer, $2::integer) as next_due,
       exists (select from millrace_private.delivery_states e
                where e.sink_no = $1::integer and e.lane = $2::smallint and e.due_at <= clock_timestamp()) as due,
       exists (select from millrace_private.delivery_states e where e.sink_no = $1::integer) as has_states,
       clock_timestamp() as now,
       (select b.probe_at from millrace_private.circuits b where b.sink_no = $1::integer) as probe_at,
       coalesce(l.deaths, 0) as deaths, l.alone, coalesce(l.alone_deaths, 0) as alone_deaths,
       exists (select from millrace_private.previews p
                where p.sink_no = $1::integer and p.until > clock_timestamp()) as is_watched
  from (select) one
  left join millrace_private.lanes l on l.sink_no = $1::integer and l.lane = $2::smallint
