insert into millrace_private.notices as n (sink_no, code, table_name, message, remedy)
select d.sink_no, 'invalid_utf8', t.schema_name || '.' || t.table_name,
       t.schema_name || '.' || t.table_name || ' holds bytes that are no UTF-8: in messages they are U+FFFD',
       format('Correct the rows, or convert the database to UTF8. Then: select millrace.dismiss(%L, %L)', s.name, 'invalid_utf8')
  from unnest($1::integer[], $2::integer[]) d (sink_no, source_table)
  join millrace_private.source_tables t on t.no = d.source_table
  join millrace_private.sinks s on s.no = d.sink_no
    on conflict (sink_no, code, table_name) do nothing
