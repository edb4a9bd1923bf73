-- Those of the partitions $2 of the ring that have rows, none of which snapshot $1 does not see, and that are not written to now.
select p.part
  from pg_catalog.unnest($2::smallint[]) p (part)
 where p.part <> (select (s.last_value >> 16) & 3 from millrace_capture.changes_seq s)
   and pg_catalog.pg_relation_size(('millrace_capture.changes_' || p.part)::regclass) > 0
   and not exists (select from millrace_capture.changes c
                    where c.part = p.part and not pg_catalog.pg_visible_in_snapshot(c.xid, $1::pg_snapshot))
 order by p.part
