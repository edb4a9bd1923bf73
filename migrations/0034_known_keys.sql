-- The key that a table had when its changes last came, in its order: a backlog outlives a key that was renamed or dropped.
alter table millrace_private.source_tables add column key_columns text[];
