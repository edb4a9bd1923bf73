-- Those of the partitions $2 of the ring that have rows, none of which snapshot $1 does not see; the one that is written to now only when it
-- has more than $3 bytes. Transactions from its xmax on, and those that it has as open, are found by index: whoever writes may wait meanwhile.
select p.part
  from pg_catalog.unnest($2::smallint[]) p (part)
 where (p.part <> (select (s.last_value >> 16) & 3 from millrace_capture.changes_seq s)
        or pg_catalog.pg_table_size(('millrace_capture.changes_' || p.part)::regclass) > $3::bigint)
   and pg_catalog.pg_relation_size(('millrace_capture.changes_' || p.part)::regclass) > 0
   and not exists (select from millrace_capture.changes c
                    where c.part = p.part and c.xid >= pg_catalog.pg_snapshot_xmax($1::pg_snapshot))
   and not exists (select from pg_catalog.pg_snapshot_xip($1::pg_snapshot) x (xid)
                     join millrace_capture.changes c on c.part = p.part and c.xid = x.xid)
 order by p.part
