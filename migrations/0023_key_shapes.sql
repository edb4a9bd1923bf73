-- The columns of a table's key when its changes last came: a JSON array of { number, type, modifier }, in key order. A column that
-- is renamed keeps its number. Null: not known yet.
alter table millrace_private.source_tables add column key_shape jsonb;
