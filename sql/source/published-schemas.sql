-- Schemas whose tables the publication lists all, with the oids of these entries; from Postgres 15 on.
select n.pnnspid::bigint as oid, n.oid::bigint as entry
  from pg_catalog.pg_publication_namespace n
  join pg_catalog.pg_publication p on p.oid = n.pnpubid
 where p.pubname = $1::name
