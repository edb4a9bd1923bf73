insert into millrace_private.notices as n (sink_no, code, table_name, message, remedy)
select t.sink_no, $2::text, $3::text, $4::text, millrace_private.how_to_catch_up(t.sink_no, $2::text, $3::text)
  from unnest($1::integer[]) t (sink_no)
    on conflict (sink_no, code, table_name) do update set message = excluded.message, created_at = clock_timestamp()
