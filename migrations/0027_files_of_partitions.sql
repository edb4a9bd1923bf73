-- Beside its file: the table of the partition's large values, and its tablespace. Null: not known yet, or it has no such table.
alter table millrace_private.partitions add column beside text;
