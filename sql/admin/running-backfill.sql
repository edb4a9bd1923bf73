select b.id
  from millrace_private.backfills b
 where b.sink_no = $1::integer and b.state in ('waiting', 'running', 'paused')
   and (b.table_schema, b.table_name) is not distinct from ($2::text, $3::text)
   and b.kind = case when $3::text is null then 'all' else 'table' end
