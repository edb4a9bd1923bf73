-- What tells of something that a sink missed of a table: it stays until that is made good, or somebody dismisses it.
create or replace function millrace_private.missed_codes() returns text[] language sql immutable
return array['truncated', 'table_detached', 'added_late', 'changes_left_out', 'capture_switched_off', 'key_changed'];
