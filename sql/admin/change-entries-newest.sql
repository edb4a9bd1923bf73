-- In the order of seq, the newest first: by the index on (seq, id) of a change table that we made. $2 to $4: the table that the retention keeps,
-- for several may share a change table; by its oid also from before it was renamed. $11, $12: before this place.
select e.id::bigint as id, e.seq, e.source_table_schema, e.source_table_name, e.record_pk, e.action,
       e.record::text as record, e.changes::text as changes,
       to_char(e.committed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as committed_at,
       to_char(e.inserted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as inserted_at
  from <event_table> e
 where e.source_database_id = $1::uuid
   and (e.source_table_oid = $2::bigint or (e.source_table_schema = $3::text and e.source_table_name = $4::text))
   and ($5::text is null or e.record_pk = $5::text)
   and ($6::text is null or e.action = $6::text)
   and ($7::timestamptz is null or e.committed_at >= $7::timestamptz)
   and ($8::timestamptz is null or e.committed_at < $8::timestamptz)
   and e.seq >= coalesce($9::bigint, 0) and e.seq <= coalesce($10::bigint, 9223372036854775807)
   and (e.seq, e.id) < (coalesce($11::bigint, 9223372036854775807), coalesce($12::bigint, 9223372036854775807))
 order by e.seq desc, e.id desc
 limit $13::integer
