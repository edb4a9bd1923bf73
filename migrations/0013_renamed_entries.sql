-- The name of a thing's entry in the file that it was released from, where the thing has another name now: that entry has no
-- effect either. Null: its own name.
alter table millrace_private.databases add column entry_name text;
alter table millrace_private.functions add column entry_name text;
alter table millrace_private.sinks add column entry_name text;
