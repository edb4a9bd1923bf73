-- $1 sink, $2 lane, $3 ids, $4 bytes: earlier messages of their rows that failed, the latest of them up to about so many bytes.
select m.id, m.action, coalesce(m.group_key, 0) as group_key, coalesce(m.group_key2, 0) as group_key2, m.record_pks, t.oid, t.schema_name, t.table_name,
       m.record, m.changes, millrace_private.metadata_text(m, t.metadata, s.metadata) as metadata,
       to_char(m.committed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as committed_at,
       m.unchanged_toast is not null as partial, x.attempts, x.state, x.error, false as behind
  from (select e.id, sum(e.bytes) over (order by e.id desc rows unbounded preceding) - e.bytes as before
          from (select o.id, octet_length(o.record) + coalesce(octet_length(o.changes), 0) as bytes
                  from (select r.group_key, r.record_pks, max(r.id) as id
                          from unnest($3::bigint[]) n (id)
                          join millrace_private.messages r on r.sink_no = $1::integer and r.lane = $2::smallint and r.id = n.id
                         group by r.group_key, r.record_pks) l
                  join millrace_private.delivery_states f
                    on f.sink_no = $1::integer and f.lane = $2::smallint and f.group_key = l.group_key and f.id < l.id
                  join millrace_private.messages o
                    on o.sink_no = $1::integer and o.lane = $2::smallint and o.id = f.id and o.record_pks = l.record_pks) e) w
  join millrace_private.messages m on m.sink_no = $1::integer and m.lane = $2::smallint and m.id = w.id
  join millrace_private.delivery_states x on x.sink_no = $1::integer and x.id = m.id
  join millrace_private.source_tables t on t.no = m.source_table
  join millrace_private.sinks s on s.no = m.sink_no
 where w.before < $4::bigint
 order by m.id
