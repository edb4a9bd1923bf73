with due as materialized (
  select w.id, w.attempts, w.state, w.error
    from (select d.id, d.attempts, d.state, d.error,
                 sum(b.bytes) over (order by d.due_at, d.id rows unbounded preceding) - b.bytes as before
            from (select e.id, e.attempts, e.state, e.error, e.due_at
                    from millrace_private.delivery_states e
                   where e.sink_no = $1::integer and e.lane = $2::smallint and e.due_at <= clock_timestamp() + interval '50 ms'
                     and e.id <= $4::bigint
                   order by e.due_at, e.id limit $3::integer) d
           cross join lateral (select octet_length(o.record) + coalesce(octet_length(o.changes), 0) as bytes
                                 from millrace_private.messages o
                                where o.sink_no = $1::integer and o.lane = $2::smallint and o.id = d.id limit 1) b) w
   where w.before < $5::bigint
)
select m.id, m.action, coalesce(m.group_key, 0) as group_key, coalesce(m.group_key2, 0) as group_key2, m.record_pks, t.oid, t.schema_name, t.table_name,
       m.record, m.changes, millrace_private.metadata_text(m.message, t.metadata, s.metadata) as metadata,
       to_char(m.committed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as committed_at,
       m.unchanged_toast is not null as partial, x.attempts, x.state, x.error,
       -- What was due before it and is not read with it has failed since, or waits itself. Of an index one that is parked holds back
       -- nothing here, but what carries the full document replaces it too.
       case when s.receivable then false
            when s.ordering = 'group' then exists (
              select from unnest(array[m.group_key, m.group_key2]) g (group_key)
               cross join lateral millrace_private.undecided($1::integer, g.group_key, m.id) u
               where u.id not in (select d.id from due d))
            else s.replaces and exists (
              select from millrace_private.delivery_states b
               where b.sink_no = $1::integer and b.group_key between m.group_key and m.group_key and b.id < m.id
                 and (b.state <> 'parked' or m.unchanged_toast is null)
                 and b.id not in (select d.id from due d)) end as behind
  from due x
  -- One by one: with many messages the order that is asked for made Postgres begin with all of them.
 cross join lateral (select o as message, o.* from millrace_private.messages o
                      where o.sink_no = $1::integer and o.lane = $2::smallint and o.id = x.id limit 1) m
  join millrace_private.source_tables t on t.no = m.source_table
  join millrace_private.sinks s on s.no = m.sink_no
 order by m.id
