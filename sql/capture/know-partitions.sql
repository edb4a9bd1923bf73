with now as (
  select n.root, n.oid, n.name, n.file, n.beside, n.links
    from unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::text[]) n (root, oid, name, file, beside, links)
), gone as (
  delete from millrace_private.partitions p
   where p.database_no = $1::integer and not exists (select from now n where n.root = p.root and n.oid = p.oid)
)
insert into millrace_private.partitions as p (database_no, root, oid, name, file, beside, links)
select $1::integer, n.root, n.oid, n.name, n.file, n.beside, n.links from now n
    on conflict (database_no, root, oid) do update
   set name = excluded.name, file = excluded.file, beside = excluded.beside, links = excluded.links
 where (p.name, p.file, p.beside, p.links) is distinct from (excluded.name, excluded.file, excluded.beside, excluded.links)
