-- Under the path of the role, for the table's own triggers and defaults: so every name here is qualified.
insert into <event_table> (seq, source_database_id, source_table_oid, source_table_schema, source_table_name, record_pk,
                           record, changes, action, committed_at/*, transaction_annotations*/)
select d.seq, $1::pg_catalog.uuid, d.source_table_oid, d.source_table_schema, d.source_table_name, d.record_pk,
       d.record::pg_catalog.jsonb, d.changes::pg_catalog.jsonb, d.action, d.committed_at/*, d.annotations::pg_catalog.jsonb*/
  from rows from (pg_catalog.unnest($2::bigint[]), pg_catalog.unnest($3::bigint[]), pg_catalog.unnest($4::pg_catalog.text[]),
                  pg_catalog.unnest($5::pg_catalog.text[]), pg_catalog.unnest($6::pg_catalog.text[]),
                  pg_catalog.unnest(pg_catalog.string_to_array($7::pg_catalog.text, pg_catalog.chr(30))),
                  pg_catalog.unnest(pg_catalog.string_to_array($8::pg_catalog.text, pg_catalog.chr(30), '')),
                  pg_catalog.unnest($9::pg_catalog.text[]), pg_catalog.unnest($10::timestamp with time zone[])
                  /*, pg_catalog.unnest(pg_catalog.string_to_array($11::pg_catalog.text, pg_catalog.chr(30), ''))*/)
       as d (seq, source_table_oid, source_table_schema, source_table_name, record_pk, record, changes, action,
             committed_at/*, annotations*/)
