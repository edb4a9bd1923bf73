-- A table that never held a row has no page. Size may be asked without the right to read the table.
select w.oid::bigint as oid
  from unnest($1::oid[]) w (oid)
 where pg_relation_size(w.oid) > 0
    or exists (select from pg_catalog.pg_partition_tree(w.oid) t where pg_relation_size(t.relid) > 0)
