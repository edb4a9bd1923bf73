-- Transactions of the whole server that are prepared, the oldest first: until one ends, no slot lets go of the WAL from where it began, and
-- vacuum removes nothing that it could see.
select p.gid, p.database::text as database, p.owner::text as owner,
       extract(epoch from clock_timestamp() - p.prepared)::float8 as seconds
  from pg_catalog.pg_prepared_xacts p
 order by p.prepared, p.gid
 limit 20
