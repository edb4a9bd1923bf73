-- How the publication listed each table when capture looked last: what happened between two looks is seen by it, whoever looks.
create table millrace_private.published_tables (
  database_no integer not null references millrace_private.positions (database_no) on delete cascade,
  oid bigint not null,
  published_as text, -- null: it did not list it
  primary key (database_no, oid)
);
