select exists (
  select from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_index i on i.indexrelid = c.oid
    join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
   where n.nspname = $1::text and c.relname = $2::text and a.attname = 'id') as about_id
