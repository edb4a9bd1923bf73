-- The columns that tables have now, in their order; no row for one that is gone.
select c.oid::bigint as oid,
       json_agg(json_build_object('number', a.attnum, 'name', a.attname, 'typeOid', a.atttypid::bigint, 'generated', a.attgenerated <> '')
                order by a.attnum)::text as columns, c.relkind = 'p' as partitioned, c.relispartition as partition,
       -- What a server before 18 never sends.
       coalesce(bool_or(a.attgenerated = 's'), false) and current_setting('server_version_num')::integer < 180000 as unsent
  from pg_catalog.pg_class c
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
 where c.oid = any ($1::oid[])
 group by c.oid, c.relkind, c.relispartition
