insert into millrace_private.source_tables (database_no, oid, schema_name, table_name, metadata)
select $1::integer, f.oid, f.schema, f.name,
       '"table_schema":' || to_json(f.schema)::text || ',"table_name":' || to_json(f.name)::text
  from unnest($2::bigint[], $3::text[], $4::text[]) f (oid, schema, name)
    on conflict (database_no, oid, schema_name, table_name) do nothing
