-- Of what changes came as, what this look has seen is done with.
insert into millrace_private.published_tables as p (database_no, oid, published_as, schema_name, table_name, came_as)
select $1::integer, f.oid, f.published_as, f.schema_name, f.table_name, f.came_as::jsonb
  from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[]) f (oid, published_as, schema_name, table_name, came_as)
    on conflict (database_no, oid) do update
   set published_as = excluded.published_as, schema_name = excluded.schema_name, table_name = excluded.table_name,
       came_as = nullif(p.came_as, excluded.came_as)
