with made as (
  insert into millrace_private.backfills (sink_no, kind, table_schema, table_name, resync)
  select b.sink_no, 'table', t.table_schema, t.table_name, b.resync
    from millrace_private.backfills b
   cross join unnest($2::text[], $3::text[]) t (table_schema, table_name)
   where b.no = $1::integer and b.state in ('waiting', 'running')
      on conflict do nothing
)
update millrace_private.backfills b
   set state = 'done', started_at = clock_timestamp(), ended_at = clock_timestamp(),
       reason = format('one backfill per table, %s in all%s', cardinality($2::text[]), $4::text)
 where b.no = $1::integer and b.state in ('waiting', 'running')
