-- Seconds since the oldest change was noted that is committed, and that snapshot $1 does not see. Transactions from its xmax on, and those that
-- it has as open, are found by index.
select extract(epoch from pg_catalog.clock_timestamp() - min(f.made_at))::double precision as seconds
  from (select c.made_at
          from millrace_capture.changes c
         where c.xid >= pg_catalog.pg_snapshot_xmax($1::pg_snapshot)
        union all
        select c.made_at
          from pg_catalog.pg_snapshot_xip($1::pg_snapshot) x (xid)
          join millrace_capture.changes c on c.xid = x.xid) f
