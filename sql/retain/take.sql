-- $1 sink, $2 lane, $3 cursor, $4 rows and $5 bytes at most (at least one row), $6 source database.
with next as materialized (
  select max(w.id) as hi, count(*)::integer as count, coalesce(max(w.before), 0)::bigint as before,
         coalesce(bool_and(w.action in ('insert', 'update', 'delete')), true)
         and not exists (select from millrace_private.exceptions x
                          where x.sink_no = $1::integer and (x.state <> 'parked' or x.id > $3::bigint)) as straight
    from (select b.id, b.action, sum(b.bytes) over (order by b.id rows unbounded preceding) - b.bytes as before
            from (select i.id, i.action, octet_length(i.record) + coalesce(octet_length(i.changes), 0) as bytes
                    from millrace_private.messages i
                   where i.sink_no = $1::integer and i.lane = $2::smallint and i.id > $3::bigint
                   order by i.id limit $4::integer) b) w
   where w.before < $5::bigint
), taken as (
  insert into <event_table> (seq, source_database_id, source_table_oid, source_table_schema, source_table_name,
                             record_pk, record, changes, action, committed_at)
  select m.id, $6::uuid, t.oid, t.schema_name, t.table_name,
         -- The usual key, one plain text, is only cut out.
         case when strpos(substr(m.record_pks, 3), '"') = length(m.record_pks) - 3 and strpos(m.record_pks, '\') = 0
              then substr(m.record_pks, 3, length(m.record_pks) - 4)
              else coalesce(millrace_private.pk_text(m.record_pks), '') end,
         m.record::jsonb, m.changes::jsonb, m.action, m.committed_at
    from millrace_private.messages m
    join millrace_private.source_tables t on t.no = m.source_table
   where m.sink_no = $1::integer and m.lane = $2::smallint and m.id > $3::bigint
     and m.id <= (select n.hi from next n where n.straight)
   order by m.id
)
select n.hi, n.count, n.before, n.straight from next n
