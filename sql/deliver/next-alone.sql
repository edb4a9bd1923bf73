-- The message that a read of one message would bring, without its row.
with due as materialized (
  select e.id, e.attempts
    from millrace_private.delivery_states e
   where e.sink_no = $1::integer and e.lane = $2::smallint and e.due_at <= clock_timestamp() and e.id <= $3::bigint
   order by e.due_at, e.id limit 1
), fresh as materialized (
  select m.id
    from millrace_private.messages m
   where m.sink_no = $1::integer and m.lane = $2::smallint and m.id > $3::bigint and not exists (select from due)
   order by m.id limit 1
)
select d.id, d.attempts from due d
union all
select f.id, coalesce((select e.attempts from millrace_private.delivery_states e
                        where e.sink_no = $1::integer and e.id = f.id), 0)
  from fresh f
