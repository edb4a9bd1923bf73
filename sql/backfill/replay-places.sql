select e.seq, e.id::bigint as id
  from <event_table> e
 where e.source_database_id = $1::uuid
   and (e.source_table_oid = $2::bigint or (e.source_table_schema = $3::text and e.source_table_name = $4::text))
   and e.committed_at >= coalesce($5::timestamptz, '-infinity') and e.committed_at < coalesce($6::timestamptz, 'infinity')
   and e.seq >= coalesce($7::bigint, 0) and e.seq <= coalesce($8::bigint, 9223372036854775807)
   and ($9::text[] is null or e.record_pk = any ($9::text[]))
   and (e.seq, e.id) > ($10::bigint, $11::bigint)
 order by e.seq, e.id
 limit $12::integer
