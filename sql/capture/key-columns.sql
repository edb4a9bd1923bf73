select a.attname as name, pg_catalog.format_type(a.atttypid, a.atttypmod) as type
  from pg_catalog.pg_index i
 cross join lateral unnest((i.indkey::smallint[])[0:i.indnkeyatts - 1]) with ordinality k (attnum, place)
  join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
 where i.indrelid = $1::oid and i.indisprimary
 order by k.place
