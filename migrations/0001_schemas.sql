-- Schema millrace is the public contract (views and functions); millrace_private may change with any release. Neither is ever
-- captured or published. Functions and views are no migrations: see sql/schema/.
create schema if not exists millrace;
comment on schema millrace is 'Millrace: views and functions for people and programs. A public contract.';
comment on schema millrace_private is 'Millrace: tables behind schema millrace. They may change with any release.';

-- What was applied: each migration once, each definition as it was when its file last changed. The list of migrations alone,
-- millrace_private.migrations, is made and kept by node-pg-migrate.
create table millrace_private.schema_files (
  path text primary key,            -- migrations/<name>.sql, sql/schema/<room>/<name>.sql
  sha256 text not null,
  applied_at timestamptz not null default clock_timestamp()
);

-- One row: which schema this is, and the oldest one whose releases can go on working with it (src/db/schema-version.ts).
create table millrace_private.schema_state (
  only_row boolean primary key default true check (only_row),
  version integer not null,
  serves integer not null
);
