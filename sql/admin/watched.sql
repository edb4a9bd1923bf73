with asked as (
  select b.no, b.id, b.kind, b.sink_no, b.created_at, b.started_at, b.moved_at, b.ended_at
    from millrace_private.backfills b
   where b.id = any ($1::uuid[])
), watched as (
  select a.no, a.id, a.created_at, a.started_at, a.moved_at from asked a
   union
  -- One for all tables ends when each table has its own: those it made, and those that were under way already.
  select c.no, c.id, c.created_at, c.started_at, c.moved_at
    from asked a
    join millrace_private.backfills c on c.sink_no = a.sink_no and c.kind = 'table'
   where a.kind = 'all' and a.ended_at is not null and c.created_at <= a.ended_at + interval '1 s'
     and (c.no > a.no or c.ended_at is null or c.ended_at >= a.ended_at)
)
select b.id, b.sink_name, b.kind, b.table_schema, b.table_name, b.state, b.reason, b.remedy, b.rows_done, b.rows_sent,
       b.rows_total, b.rows_per_second::double precision as rows_per_second,
       extract(epoch from b.time_left)::double precision as seconds_left, b.started_at,
       extract(epoch from clock_timestamp() - greatest(w.moved_at, w.started_at, w.created_at))::double precision as still_seconds,
       d.database_name, d.state as capture_state, d.reason as capture_reason, d.remedy as capture_remedy
  from watched w
  join millrace.backfill_status b on b.id = w.id
  join millrace_private.sinks s on s.name = b.sink_name
  join millrace_private.databases o on o.id = s.database_id
  join millrace.database_status d on d.database_name = o.name
 order by w.no
