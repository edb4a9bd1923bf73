-- Where a database goes over from one way of capture to the other: what the snapshot sees is told by the way of before, everything else
-- by the new one. One row for each database: of its last switch, or of the one that is under way.
create table millrace_private.capture_switches (
  database_no integer primary key references millrace_private.positions (database_no) on delete cascade,
  epoch integer not null,
  way text not null check (way in ('replication', 'triggers')), -- the new one
  snapshot text not null,                     -- in the text form of pg_snapshot
  until_lsn pg_lsn not null,                  -- whatever the snapshot sees was committed before that
  base_lsn pg_lsn not null,                   -- the last commit_lsn of before
  changes_oid bigint,                         -- to triggers: of the table that they note changes in
  wal_lsn pg_lsn,                             -- to replication: the commit of the WAL that has got another commit_lsn last,
  told_lsn pg_lsn                             -- and which one
);
