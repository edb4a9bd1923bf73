-- Partitions that begin in the future.
select count(*)::integer as ahead
  from pg_catalog.pg_inherits i
  join pg_catalog.pg_class b on b.oid = i.inhrelid
 where i.inhparent = $1::regclass
   and substring(pg_catalog.pg_get_expr(b.relpartbound, b.oid) from $$FROM \('([^']+)'\)$$)::timestamptz > now()
