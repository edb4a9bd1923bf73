-- Parked rows that were larger than max_row_bytes, by sink and table, as capture says of each.
select s.name as sink, s.takes_rows as "takesRows", d.name as database, (d.settings ->> 'max_row_bytes')::double precision as "maxRowBytes",
       t.schema_name || '.' || t.table_name as "table", count(*)::double precision as rows,
       max(substring(e.error from '^the row of (?:about )?(\d+) bytes')::double precision) as "mostBytes"
  from millrace_private.delivery_states e
  join millrace_private.sinks s on s.no = e.sink_no
  join millrace_private.databases d on d.id = s.database_id
  join millrace_private.messages m on m.sink_no = e.sink_no and m.lane = e.lane and m.id = e.id
  join millrace_private.source_tables t on t.no = m.source_table
 where e.state = 'parked' and e.stage = 'capture' and e.error like 'the row %larger than max_row_bytes: only its key was kept'
 group by s.name, s.takes_rows, d.name, d.settings, t.schema_name, t.table_name
 order by rows desc, "table"
 limit 1000
