select t.schema_name || '.' || t.table_name as table_name, m.record_pks, x.error
  from millrace_private.delivery_states x
  join millrace_private.messages m on m.sink_no = x.sink_no and m.lane = x.lane and m.id = x.id
  join millrace_private.source_tables t on t.no = m.source_table
 where x.sink_no = $1::integer and x.state = 'parked' and m.record_pks = any ($2::text[])
 order by m.id
