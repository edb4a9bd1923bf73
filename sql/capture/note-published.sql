insert into millrace_private.published_tables as p (database_no, oid, published_as, schema_name, table_name)
select $1::integer, f.oid, f.published_as, f.schema_name, f.table_name
  from unnest($2::bigint[], $3::text[], $4::text[], $5::text[]) f (oid, published_as, schema_name, table_name)
    on conflict (database_no, oid) do update
   set published_as = excluded.published_as, schema_name = excluded.schema_name, table_name = excluded.table_name
