insert into millrace_private.notices as n (sink_no, code, table_name, message, remedy)
select t.sink_no, $2::text, $3::text, $4::text, 'Bring the sink up to date: what it holds of this table may be wrong.'
  from unnest($1::integer[]) t (sink_no)
    on conflict (sink_no, code, table_name) do update set message = excluded.message, created_at = clock_timestamp()
