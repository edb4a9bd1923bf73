-- As metrics show a level: the higher the worse.
create or replace function millrace_private.level_number(p_level text) returns integer language sql immutable
return array_position('{ok,warning,unknown,failing}'::text[], p_level) - 1;
