select exists (
  select from pg_catalog.pg_locks l
   where l.locktype = 'advisory' and l.granted and l.pid = $3::integer and l.objsubid = 2
     and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
     and l.classid = $1::bigint::oid and l.objid = $2::bigint::oid) as here
