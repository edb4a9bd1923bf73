-- The last 500 that ended stay, for 90 days. While another one of the sink or an operation of the database is open, what ended may
-- be part of it; and whoever watches one sees its end.
delete from millrace_private.backfills b
 where b.ended_at is not null and b.no = any (array(
   select e.no
     from millrace_private.backfills e
     join millrace_private.sinks s on s.no = e.sink_no
     join millrace_private.databases d on d.id = s.database_id
    where e.ended_at < clock_timestamp() - interval '1 h'
      and e.ended_at < greatest(clock_timestamp() - interval '90 days',
                                (select n.ended_at from millrace_private.backfills n where n.ended_at is not null
                                  order by n.ended_at desc offset 499 limit 1))
      and not exists (select from millrace_private.backfills o
                       where o.sink_no = e.sink_no and o.state in ('waiting', 'running', 'paused'))
      and not exists (select from millrace_private.operations o
                       where o.database_no = d.no and o.state in ('waiting', 'running', 'paused'))
    order by e.ended_at limit $1::integer))
