select coalesce(md5(string_agg(format('%s %s %s %s', a.attnum, a.atttypid, a.attname, a.attgenerated), ',' order by a.attnum)), '')
         as fingerprint
  from pg_catalog.pg_attribute a
 where a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped
