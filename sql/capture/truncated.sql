insert into millrace_private.notices as n (sink_no, code, table_name, message, remedy)
select t.sink_no, 'truncated', $2::text,
       $2::text || ' was truncated: its rows are gone from the table, but no message tells so',
       millrace_private.how_to_catch_up(t.sink_no, 'truncated', $2::text)
  from unnest($1::integer[]) t (sink_no)
    on conflict (sink_no, code, table_name) do update set created_at = clock_timestamp()
