-- A table that never held a row has no page. Size may be asked without the right to read the table.
with recursive tree (root, oid) as (
  select w.oid, w.oid from unnest($1::oid[]) w (oid)
  union
  select t.root, i.inhrelid
    from tree t
    join pg_catalog.pg_inherits i on i.inhparent = t.oid
    join pg_catalog.pg_class c on c.oid = i.inhrelid and c.relispartition
)
select t.root::bigint as oid from tree t group by t.root having bool_or(pg_relation_size(t.oid) > 0)
