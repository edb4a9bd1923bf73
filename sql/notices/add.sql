insert into millrace_private.notices as n (sink_no, code, table_name, message, remedy)
select s.no, f.code, f.table_name, f.message,
       nullif(concat_ws('; then: ', f.remedy,
                        case when f.catch_up then millrace_private.how_to_catch_up(s.no, f.code, f.table_name) end), '')
  from jsonb_to_recordset($1::jsonb)
         as f (sink_no integer, code text, table_name text, message text, remedy text, catch_up boolean)
  join millrace_private.sinks s on s.no = f.sink_no
    on conflict (sink_no, code, table_name) do update
   set message = excluded.message, remedy = excluded.remedy,
       created_at = case when $2::boolean then clock_timestamp() else n.created_at end
