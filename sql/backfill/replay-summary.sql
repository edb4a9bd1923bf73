select count(*) as entries, min(e.seq) as first_seq, max(e.seq) as last_seq,
       min(e.committed_at)::text as first_at, max(e.committed_at)::text as last_at,
       count(*) filter (where e.action = 'insert') as inserts, count(*) filter (where e.action = 'update') as updates,
       count(*) filter (where e.action = 'delete') as deletes
  from <event_table> e
 where e.source_database_id = $1::uuid
   and (e.source_table_oid = $2::bigint or (e.source_table_schema = $3::text and e.source_table_name = $4::text))
   and e.committed_at >= coalesce($5::timestamptz, '-infinity') and e.committed_at < coalesce($6::timestamptz, 'infinity')
   and e.seq >= coalesce($7::bigint, 0) and e.seq <= coalesce($8::bigint, 9223372036854775807)
   and ($9::text[] is null or e.record_pk = any ($9::text[]))
