insert into <event_table> (seq, source_database_id, source_table_oid, source_table_schema, source_table_name, record_pk,
                           record, changes, action, committed_at)
select d.seq, $1::uuid, d.source_table_oid, d.source_table_schema, d.source_table_name, d.record_pk,
       d.record::jsonb, d.changes::jsonb, d.action, d.committed_at
  from unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[],
              string_to_array($7::text, chr(30)), string_to_array($8::text, chr(30), ''), $9::text[],
              $10::timestamptz[])
       as d (seq, source_table_oid, source_table_schema, source_table_name, record_pk, record, changes, action,
             committed_at)
