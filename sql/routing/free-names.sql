-- Of these names of tables, by oid, those that no other table has.
select w.oid, w.schema || '.' || w.name as name
  from unnest($1::bigint[], $2::text[], $3::text[]) w (oid, schema, name)
 where not exists (select from pg_catalog.pg_class c
                     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                    where n.nspname = w.schema and c.relname = w.name and c.oid <> w.oid::oid)
