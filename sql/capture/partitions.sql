-- The partitions of these tables that hold rows. One that was made by another transaction than it was attached by may have
-- held rows before. One that is being detached concurrently is none any more: Postgres shows neither its rows nor its changes as the
-- table's, also where that was broken off and waits for somebody to finalize it. Takes no locks.
with recursive tree (root, oid, attached, links) as (
  select w.oid, w.oid, null::xid, '' from unnest($1::oid[]) w (oid)
  union
  select t.root, i.inhrelid, i.xmin, t.links || ' ' || i.xmin::text
    from tree t
    join pg_catalog.pg_inherits i on i.inhparent = t.oid and not i.inhdetachpending
    join pg_catalog.pg_class c on c.oid = i.inhrelid and c.relispartition
)
select t.root::bigint as root, c.oid::bigint as oid, n.nspname || '.' || c.relname as name, c.relfilenode::bigint as file,
       c.relpages = 0 as empty, t.links,
       exists (select from pg_catalog.pg_attribute a
                where a.attrelid = c.oid and a.attnum = -1 and a.xmin <> t.attached) as attached
  from tree t
  join pg_catalog.pg_class c on c.oid = t.oid and c.relkind = 'r'
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 where t.root <> t.oid
 order by n.nspname, c.relname
