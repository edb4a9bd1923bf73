with paused as materialized (
  select s.no, millrace_private.set_status(s.name, 'paused') as is_new
    from millrace_private.sinks s
    join millrace_private.lanes l on l.sink_no = s.no
   where s.no = $1::integer and l.lane = $2::smallint and l.owner = $3::text and l.until > clock_timestamp()
)
insert into millrace_private.notices as n (sink_no, code, message, remedy)
select p.no, $4::text, $5::text, $6::text from paused p where p.is_new is not null
    on conflict (sink_no, code, table_name) do update
   set message = excluded.message, remedy = excluded.remedy, created_at = now()
