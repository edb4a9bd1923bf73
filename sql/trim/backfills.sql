-- The last 500 that ended stay, for 90 days, and an hour, for whoever watches one sees its end. What ended may be part of another one
-- that is open, or of an open operation, which remembers the ones that it asked for: those of its time stay with it. One for all tables
-- makes those of each table, and ends then.
with anchor as materialized (
  select b.sink_no, b.created_at, coalesce(b.ended_at, b.created_at) as ended_at
    from millrace_private.backfills b
   where b.state in ('waiting', 'running', 'paused')
   union all
  select b.sink_no, b.created_at, coalesce(b.ended_at, b.created_at)
    from millrace_private.operations o
   cross join lateral jsonb_array_elements_text(case jsonb_typeof(o.kept -> 'backfills') when 'array' then o.kept -> 'backfills'
                                                                                     else '[]' end) k (id)
    join millrace_private.backfills b on b.id::text = k.id
   where o.state in ('waiting', 'running', 'paused')
)
delete from millrace_private.backfills b
 where b.ended_at is not null and b.no = any (array(
   select e.no
     from millrace_private.backfills e
    where e.ended_at < clock_timestamp() - interval '1 h'
      and e.ended_at < greatest(clock_timestamp() - interval '90 days',
                                (select n.ended_at from millrace_private.backfills n where n.ended_at is not null
                                  order by n.ended_at desc offset 499 limit 1))
      and not exists (select from anchor a
                       where a.sink_no = e.sink_no and e.created_at <= a.ended_at + interval '1 min'
                         and e.ended_at >= a.created_at - interval '1 min')
    order by e.ended_at limit $1::integer))
