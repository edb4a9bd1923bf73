-- Groups are compared as ranges here, and wherever states are looked for by their group: once nearly all states are of one row, Postgres
-- takes the index by id, which leads past all of them, to be as good for a question of any other row, but not for a range.
select m.id, m.action, coalesce(m.group_key, 0) as group_key, coalesce(m.group_key2, 0) as group_key2, m.record_pks, t.oid, t.schema_name, t.table_name,
       m.record, m.changes, millrace_private.metadata_text(m, t.metadata, s.metadata) as metadata,
       to_char(m.committed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as committed_at,
       m.unchanged_toast is not null as partial, coalesce(x.attempts, 0) as attempts, x.state, x.error,
       coalesce(x.behind, false) as behind
  from millrace_private.messages m
  join millrace_private.source_tables t on t.no = m.source_table
  join millrace_private.sinks s on s.no = m.sink_no
  -- Evaluated only when a message of the sink has a state at all ("offset 0" keeps that a condition of its own).
  left join lateral (
       select e.attempts, e.state, e.error,
              case when s.receivable then false
                   when s.ordering = 'group' then exists (select from millrace_private.undecided($1::integer, m.group_key, m.id))
                     or exists (select from millrace_private.undecided($1::integer, m.group_key2, m.id))
                   else exists (select from millrace_private.delivery_states b
                                 where b.sink_no = $1::integer and b.lane = $2::smallint
                                   and case when b.state <> 'parked' then b.group_key end between m.group_key and m.group_key
                                   and b.id < m.id)
                     or s.replaces and exists (select from millrace_private.delivery_states b
                                                where b.sink_no = $1::integer and b.lane = $2::smallint
                                                  and b.group_key between m.group_key and m.group_key and b.id < m.id) end as behind
         from (select) one
         left join millrace_private.delivery_states e on e.sink_no = $1::integer and e.id = m.id
        where (select exists (select from millrace_private.delivery_states a where a.sink_no = $1::integer))
       offset 0) x on true
 where m.sink_no = $1::integer and m.lane = $2::smallint and m.id > $3::bigint
   and m.id <= (select max(w.id)
                  from (select b.id, sum(b.bytes) over (order by b.id rows unbounded preceding) - b.bytes as before
                          from (select i.id, octet_length(i.record) + coalesce(octet_length(i.changes), 0) as bytes
                                  from millrace_private.messages i
                                 where i.sink_no = $1::integer and i.lane = $2::smallint and i.id > $3::bigint
                                 order by i.id limit $4::integer) b) w
                 where w.before < $5::bigint)
 order by m.id
