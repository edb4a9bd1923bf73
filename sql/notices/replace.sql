with sinks as (
  select s.no
    from millrace_private.sinks s
    left join millrace_private.databases d on d.id = s.database_id
   where d.no = $1::integer or s.id = $2::uuid
), fresh as (
  select s.no as sink_no, f.code, f.table_name, f.message,
         nullif(concat_ws('; then: ', f.remedy,
                          case when f.catch_up then millrace_private.how_to_catch_up(s.no, f.code, f.table_name) end), '') as remedy
    from jsonb_to_recordset($5::jsonb)
           as f (sink_no integer, code text, table_name text, message text, remedy text, catch_up boolean)
    join sinks s on s.no = coalesce(f.sink_no, s.no)
), gone as (
  delete from millrace_private.notices n
   using sinks s
   where n.sink_no = s.no and n.table_name = coalesce($3::text, n.table_name) and n.code = any ($4::text[])
     and not exists (select from fresh f
                      where f.sink_no = n.sink_no and f.code = n.code and f.table_name = n.table_name)
)
insert into millrace_private.notices as n (sink_no, code, table_name, message, remedy)
select f.sink_no, f.code, f.table_name, f.message, f.remedy from fresh f
    on conflict (sink_no, code, table_name) do update
   set message = excluded.message, remedy = excluded.remedy
 where (n.message, n.remedy) is distinct from (excluded.message, excluded.remedy)
