-- The partitions of these tables that hold rows. One that was there before it, or what it lies below, was attached may have held rows
-- before. Where one transaction did both, "attachedAtOnce" says so:
-- attaching writes each of a table's columns anew, at least two commands after it was made. One that is being detached concurrently
-- is none any more: Postgres shows neither its rows nor its changes as the table's, also where that was broken off and waits for
-- somebody to finalize it. Takes no locks.
with recursive tree (root, oid, xids, cids, links) as (
  select w.oid, w.oid, array[]::xid[], array[]::bigint[], '' from unnest($1::oid[]) w (oid)
  union
  select t.root, i.inhrelid, t.xids || i.xmin, t.cids || i.cmin::text::bigint, t.links || ' ' || i.xmin::text
    from tree t
    join pg_catalog.pg_inherits i on i.inhparent = t.oid and not i.inhdetachpending
    join pg_catalog.pg_class c on c.oid = i.inhrelid and c.relispartition
), part as (
  select t.root, t.oid, t.links, t.xids[cardinality(t.xids)] as xid, a.xmin as made, a.cmin::text::bigint as made_cid,
         exists (select from unnest(t.xids[:cardinality(t.xids) - 1], t.cids) l (xid, cid)
                  where case when l.xid = a.xmin then l.cid > a.cmin::text::bigint
                             -- Ids begin again: one of long ago may look as if it were still to come.
                             else age(l.xid) >= 0 and age(l.xid) < age(a.xmin) end) as below
    from tree t
    join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = -1
   where t.root <> t.oid
)
select p.root::bigint as root, c.oid::bigint as oid, n.nspname || '.' || c.relname as name, c.relfilenode::bigint as file,
       -- Whatever rewrites its rows gives it another table for large values; a truncate leaves it the one that it has.
       nullif(c.reltoastrelid, 0)::text || ' ' || c.reltablespace::text as beside, c.relpages = 0 as empty, p.links,
       p.xid <> p.made as attached,
       p.below or not exists (select from pg_catalog.pg_attribute a
                               where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                                 and a.xmin = p.made and a.cmin::text::bigint <= p.made_cid + 1) as "attachedAtOnce"
  from part p
  join pg_catalog.pg_class c on c.oid = p.oid and c.relkind = 'r'
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
 order by n.nspname, c.relname
