select count(*)::integer as columns
  from pg_catalog.pg_attribute a
  join pg_catalog.pg_class c on c.oid = a.attrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where n.nspname = $1::text and c.relname = $2::text and a.attnum > 0 and not a.attisdropped
   and a.attname in ('retention', 'seq', 'written')
