-- The first ones that may begin, of which there may be tens of thousands: none that is under way ($2), nor of a sink that has enough to
-- do ($3).
select b.no, b.kind, b.sink_no, s.name as sink_name, b.table_schema, b.table_name, b.sort_column, b.start_position,
       b.replay, b.position,
       (select c.no from millrace_private.backfills c where c.id = (b.replay ->> 'after')::uuid) as follows,
       (select c.generation from millrace_private.catalog_state c) as catalog_generation
  from millrace_private.backfills b
  join millrace_private.sinks s on s.no = b.sink_no
  join millrace_private.databases d on d.id = s.database_id
 where d.no = $1::integer and b.state in ('waiting', 'running')
   and b.no <> all ($2::integer[]) and b.sink_no <> all ($3::integer[])
 order by b.no
 limit 100
