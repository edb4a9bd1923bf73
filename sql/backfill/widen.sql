update millrace_private.backfills p
   set state = 'cancelled', reason = 'a backfill of all tables sends all its rows', remedy = null, ended_at = clock_timestamp()
  from millrace_private.backfills b
 where b.no = $1::integer and b.state in ('waiting', 'running')
   and p.sink_no = b.sink_no and p.kind = 'table' and p.sort_column is not null and p.state in ('waiting', 'running', 'paused')
   and (p.table_schema, p.table_name) in (select t.table_schema, t.table_name
                                            from unnest($2::text[], $3::text[]) t (table_schema, table_name))
