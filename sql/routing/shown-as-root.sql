-- The tables of $1 whose changes come under the name of one that they are a partition of.
with recursive above (leaf, oid) as (
  select i.inhrelid, i.inhparent
    from pg_catalog.pg_class c
    join pg_catalog.pg_inherits i on i.inhrelid = c.oid
   where c.oid = any ($1::oid[]) and c.relispartition
  union
  select a.leaf, i.inhparent
    from above a
    join pg_catalog.pg_class c on c.oid = a.oid and c.relispartition
    join pg_catalog.pg_inherits i on i.inhrelid = c.oid
)
select distinct a.leaf::bigint as oid
  from above a
  join pg_catalog.pg_class c on c.oid = a.oid
  join pg_catalog.pg_publication p on p.pubname = $2::name and p.pubviaroot
 where p.puballtables or c.relnamespace = any ($3::oid[])
    or exists (select from pg_catalog.pg_publication_rel l where l.prpubid = p.oid and l.prrelid = a.oid)
