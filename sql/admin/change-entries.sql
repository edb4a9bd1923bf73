-- By id, the oldest first: entries of a retention are written in the order of their seq, and no index is on that. $8: behind this id.
select e.id::bigint as id, e.seq, e.source_table_schema, e.source_table_name, e.record_pk, e.action,
       e.record::text as record, e.changes::text as changes,
       to_char(e.committed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as committed_at,
       to_char(e.inserted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as inserted_at
  from <event_table> e
 where e.source_database_id = $1::uuid
   and ($2::text is null or e.record_pk = $2::text)
   and ($3::text is null or e.action = $3::text)
   and ($4::timestamptz is null or e.committed_at >= $4::timestamptz)
   and ($5::timestamptz is null or e.committed_at < $5::timestamptz)
   and ($6::bigint is null or e.seq >= $6::bigint)
   and ($7::bigint is null or e.seq <= $7::bigint)
   and ($8::bigint is null or e.id > $8::bigint)
 order by e.id
 limit $9::integer
