-- Several tables, in the order in which they are given.
--
-- `told`: the key columns are stored for this name. `shape`: those of the table's key, whatever it was called. `earlier`: other names
-- that the table had; null: none. `noted`: a sink of the database has a notice of these codes about it.
with wanted as (
  select w.oid, w.schema_name, w.table_name, w.place
    from unnest($2::bigint[], $3::text[], $4::text[]) with ordinality w (oid, schema_name, table_name, place)
), known as (
  select t.no, t.key_columns, w.place
    from wanted w
    join millrace_private.source_tables t
      on t.database_no = $1::integer and t.oid = w.oid and t.schema_name = w.schema_name and t.table_name = w.table_name
), made as (
  insert into millrace_private.source_tables (database_no, oid, schema_name, table_name, metadata)
  select $1::integer, w.oid, w.schema_name, w.table_name,
         '"table_schema":' || to_json(w.schema_name)::text || ',"table_name":' || to_json(w.table_name)::text
    from wanted w
   where w.place not in (select k.place from known k)
   order by w.oid, w.schema_name, w.table_name
      on conflict (database_no, oid, schema_name, table_name) do update set table_name = excluded.table_name
  returning no, oid, schema_name, table_name
)
select t.no, t.key_columns is not null as told,
       (select json_agg(json_build_object('schema', e.schema_name, 'name', e.table_name))
          from millrace_private.source_tables e
         where e.database_no = $1::integer and e.oid = w.oid
           and (e.schema_name, e.table_name) <> (w.schema_name, w.table_name)) as earlier,
       exists (select from millrace_private.notices n
                 join millrace_private.sinks s on s.no = n.sink_no
                 join millrace_private.databases d on d.id = s.database_id
                where d.no = $1::integer and n.table_name = w.schema_name || '.' || w.table_name and n.code = any ($5::text[])) as noted,
       coalesce(t.key_columns,
                -- Under another name.
                (select e.key_columns from millrace_private.source_tables e
                  where e.database_no = $1::integer and e.oid = w.oid and e.key_columns is not null
                  order by e.no desc
                  limit 1)) as key_columns,
       (select e.key_shape from millrace_private.source_tables e
         where e.database_no = $1::integer and e.oid = w.oid and e.key_shape is not null
         limit 1) as shape
  from wanted w
 cross join lateral (
       select k.no, k.key_columns from known k where k.place = w.place
       union all
       select m.no, null from made m
        where m.oid = w.oid and m.schema_name = w.schema_name and m.table_name = w.table_name) t
 order by w.place
