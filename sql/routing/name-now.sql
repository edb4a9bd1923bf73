-- What the first of these tables that is there is called now.
select n.nspname::text as schema, c.relname::text as name
  from unnest($1::bigint[]) with ordinality w (oid, place)
  join pg_catalog.pg_class c on c.oid = w.oid::oid and c.relkind in ('r', 'p')
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 order by w.place
 limit 1
