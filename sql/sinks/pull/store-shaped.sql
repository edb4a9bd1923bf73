insert into millrace_private.messages (sink_no, lane, id, group_key, group_key2, source_table, action, record_pks,
       commit_lsn, commit_idx, committed_at, record, changes, annotations, unchanged_toast, payload)
select m.sink_no, 0, m.id, m.group_key, m.group_key2, m.source_table, m.action, m.record_pks,
       m.commit_lsn, m.commit_idx, m.committed_at, m.record, m.changes, m.annotations, m.unchanged_toast, w.payload
  from unnest($2::bigint[], $3::text[]) w (id, payload)
  join millrace_private.messages m on m.sink_no = $1::integer and m.lane = 1 and m.id = w.id
 order by m.id
