with known as (
  select t.no, t.key_columns from millrace_private.source_tables t
   where t.database_no = $1::integer and t.oid = $2::bigint and t.schema_name = $3::text and t.table_name = $4::text
), made as (
  insert into millrace_private.source_tables (database_no, oid, schema_name, table_name, metadata)
  select $1::integer, $2::bigint, $3::text, $4::text,
         '"table_schema":' || to_json($3::text)::text || ',"table_name":' || to_json($4::text)::text
   where not exists (select from known)
      on conflict (database_no, oid, schema_name, table_name) do update set table_name = excluded.table_name
  returning no
)
select t.no, coalesce(t.key_columns,
                      -- Under another name.
                      (select e.key_columns from millrace_private.source_tables e
                        where e.database_no = $1::integer and e.oid = $2::bigint and e.key_columns is not null
                        order by e.no desc
                        limit 1)) as key_columns
  from (select k.no, k.key_columns from known k union all select m.no, null from made m) t
