-- How often a thing was changed, and by whom the last time: whoever edits it says which version he saw. Both are written by a
-- trigger (sql/schema/catalog/count_version.sql), whatever changes the thing.
alter table millrace_private.databases
  add column version integer not null default 1,
  add column updated_by text;
alter table millrace_private.functions
  add column version integer not null default 1,
  add column updated_by text;
alter table millrace_private.sinks
  add column version integer not null default 1,
  add column updated_by text;
