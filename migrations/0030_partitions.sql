-- What becomes of a partition is in no message, so capture remembers which there were; and which slots a database had.

create table millrace_private.partitions (
  database_no integer not null references millrace_private.positions (database_no) on delete cascade,
  root bigint not null,
  oid bigint not null,
  name text not null,
  -- Of its file: another one when it was truncated, or written anew.
  file bigint not null,
  primary key (database_no, root, oid)
);

alter table millrace_private.positions add column former_slots text[] not null default '{}';
