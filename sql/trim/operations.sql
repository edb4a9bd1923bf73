-- The last 500 that ended stay, for 90 days.
delete from millrace_private.operations o
 where o.id in (
   select e.id from millrace_private.operations e
    where e.ended_at < clock_timestamp() - interval '90 days'
       or e.ended_at < (select n.ended_at from millrace_private.operations n where n.ended_at is not null
                         order by n.ended_at desc offset 499 limit 1)
    order by e.ended_at limit $1::integer)
