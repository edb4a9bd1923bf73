-- Deletes what was noted elsewhere: a dump of another database had it, with the ids of that one's transactions. A change of this one
-- that a snapshot shows is of a transaction that is over by the same snapshot.
delete from millrace_capture.changes c
 where c.xid >= pg_snapshot_xmax(pg_current_snapshot())
    or c.xid = any (array(select x.xid from pg_snapshot_xip(pg_current_snapshot()) x (xid)))
