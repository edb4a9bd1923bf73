-- The columns that a table has now, in their order; no row when it is gone.
select json_agg(json_build_object('name', a.attname, 'typeOid', a.atttypid::bigint, 'generated', a.attgenerated <> '')
                order by a.attnum)::text as columns, c.relkind = 'p' as partitioned
  from pg_catalog.pg_class c
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
 where c.oid = $1::oid
 group by c.oid, c.relkind
