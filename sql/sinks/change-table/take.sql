-- $1 sink, $2 lane, $3 cursor, $4 rows and $5 bytes at most (at least one row), $6 source database.
-- Under the path of the role, for the table's own triggers and defaults: so every name here is qualified.
with next as materialized (
  select pg_catalog.max(w.id) as hi, pg_catalog.count(*)::integer as count,
         coalesce(pg_catalog.max(w.before), 0)::bigint as before,
         pg_catalog.min(w.committed_at) as first_at, pg_catalog.max(w.committed_at) as last_at,
         coalesce(pg_catalog.bool_and(w.action operator(pg_catalog.=) any (array['insert', 'update', 'delete'])), true)
         and not exists (select from millrace_private.delivery_states x
                          where x.sink_no operator(pg_catalog.=) $1::integer
                            and (x.state operator(pg_catalog.<>) 'parked' or x.id operator(pg_catalog.>) $3::bigint))
           as straight
    from (select b.id, b.action, b.committed_at,
                 pg_catalog.sum(b.bytes) over (order by b.id rows unbounded preceding) operator(pg_catalog.-) b.bytes as before
            from (select i.id, i.action, i.committed_at,
                         pg_catalog.octet_length(i.record) operator(pg_catalog.+)
                         coalesce(pg_catalog.octet_length(i.changes), 0) as bytes
                    from millrace_private.messages i
                   where i.sink_no operator(pg_catalog.=) $1::integer and i.lane operator(pg_catalog.=) $2::smallint
                     and i.id operator(pg_catalog.>) $3::bigint
                   order by i.id limit $4::integer) b) w
   where w.before operator(pg_catalog.<) $5::bigint
), taken as (
  insert into <event_table> (seq, source_database_id, source_table_oid, source_table_schema, source_table_name,
                             record_pk, record, changes, action, committed_at/*, transaction_annotations*/)
  select m.id, $6::pg_catalog.uuid, t.oid, t.schema_name, t.table_name, k.text,
         m.record::pg_catalog.jsonb, m.changes::pg_catalog.jsonb, m.action, m.committed_at/*, m.annotations::pg_catalog.jsonb*/
    from millrace_private.messages m
    join millrace_private.source_tables t on t.no operator(pg_catalog.=) m.source_table
   cross join lateral (
         -- The usual key, one plain text, is only cut out.
         select case when pg_catalog.strpos(pg_catalog.substr(m.record_pks, 3), '"') operator(pg_catalog.=)
                          (pg_catalog.length(m.record_pks) operator(pg_catalog.-) 3)
                          and pg_catalog.strpos(m.record_pks, '\') operator(pg_catalog.=) 0
                     then pg_catalog.substr(m.record_pks, 3, pg_catalog.length(m.record_pks) operator(pg_catalog.-) 4)
                     else coalesce(millrace_private.pk_text(m.record_pks), '') end as text) k
   where m.sink_no operator(pg_catalog.=) $1::integer and m.lane operator(pg_catalog.=) $2::smallint
     and m.id operator(pg_catalog.>) $3::bigint
     and m.id operator(pg_catalog.<=) (select n.hi from next n where n.straight)
   order by m.id
)
select n.hi, n.count, n.before, n.straight,
       pg_catalog.date_part('epoch', n.first_at) operator(pg_catalog.*) 1000::pg_catalog.float8 as first_ms,
       pg_catalog.date_part('epoch', n.last_at) operator(pg_catalog.*) 1000::pg_catalog.float8 as last_ms
  from next n
