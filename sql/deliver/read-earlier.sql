-- $1 sink, $2 lane, $3 ids, $4 bytes: earlier messages of their rows that failed, the latest of them up to about so many bytes. Each is
-- looked up by itself: Postgres would rather begin with all messages of the lane.
select m.id, m.action, coalesce(m.group_key, 0) as group_key, coalesce(m.group_key2, 0) as group_key2, m.record_pks, t.oid, t.schema_name, t.table_name,
       m.record, m.changes, millrace_private.metadata_text(m.message, t.metadata, s.metadata) as metadata,
       to_char(m.committed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as committed_at,
       m.unchanged_toast is not null as partial, x.attempts, x.state, x.error, false as behind
  from (select e.id, sum(e.bytes) over (order by e.id desc rows unbounded preceding) - e.bytes as before
          from (select o.id, octet_length(o.record) + coalesce(octet_length(o.changes), 0) as bytes
                  from (select r.group_key, r.record_pks, max(r.id) as id
                          from unnest($3::bigint[]) n (id)
                          join millrace_private.messages r on r.sink_no = $1::integer and r.lane = $2::smallint and r.id = n.id
                         group by r.group_key, r.record_pks) l
                 cross join lateral (select d.id from millrace_private.delivery_states d
                                      where d.sink_no = $1::integer and d.lane = $2::smallint
                                        and d.group_key between l.group_key and l.group_key and d.id < l.id
                                      order by d.group_key, d.id offset 0) f
                 cross join lateral (select r.id, r.record, r.changes from millrace_private.messages r
                                      where r.sink_no = $1::integer and r.lane = $2::smallint and r.id = f.id
                                        and r.record_pks = l.record_pks limit 1) o) e) w
 cross join lateral (select o as message, o.* from millrace_private.messages o
                      where o.sink_no = $1::integer and o.lane = $2::smallint and o.id = w.id limit 1) m
  join millrace_private.delivery_states x on x.sink_no = $1::integer and x.id = m.id
  join millrace_private.source_tables t on t.no = m.source_table
  join millrace_private.sinks s on s.no = m.sink_no
 where w.before < $4::bigint
 order by m.id
