-- What capture by triggers reads: the changes that one snapshot of the source sees and another does not. Appended with the first
-- messages of each; the newest counts, and older ones are deleted now and then.
create table millrace_private.capture_plans (
  database_no integer not null references millrace_private.positions (database_no) on delete cascade,
  no bigint not null,
  epoch integer not null,
  from_snapshot text not null,                -- in the text form of pg_snapshot
  to_snapshot text not null,
  first_lsn pg_lsn not null,                  -- commit_lsn of its first transaction
  primary key (database_no, no)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
