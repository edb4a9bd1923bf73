select w.schema || '.' || w.name as name
  from unnest($1::text[], $2::text[]) w (schema, name)
 where not exists (select from pg_catalog.pg_class c
                     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                    where n.nspname = w.schema and c.relname = w.name)
