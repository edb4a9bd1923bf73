-- The first ones that may begin, of which there may be tens of thousands: none that is under way ($2), nor of a sink that has enough to
-- do ($3). They are taken from the index of their numbers, and not sorted.
select b.no, b.kind, b.sink_no, s.name as sink_name, b.table_schema, b.table_name, b.sort_column, b.start_position,
       b.replay, b.position,
       (select c.no from millrace_private.backfills c where c.id = (b.replay ->> 'after')::uuid) as follows,
       (select c.generation from millrace_private.catalog_state c) as catalog_generation
  from (select w.no, w.kind, w.sink_no, w.table_schema, w.table_name, w.sort_column, w.start_position, w.replay, w.position
          from millrace_private.backfills w
         where w.sink_no = any (array(select o.no
                                        from millrace_private.sinks o
                                        join millrace_private.databases d on d.id = o.database_id
                                       where d.no = $1::integer and o.no <> all ($3::integer[])))
           and w.state in ('waiting', 'running') and w.no <> all ($2::integer[])
         order by w.no
         limit 100) b
  join millrace_private.sinks s on s.no = b.sink_no
 order by b.no
