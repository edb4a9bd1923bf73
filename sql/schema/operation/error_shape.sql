-- An error without its numbers, which alone tell many of the same from each other: 17, 12.5, 10:15:00, a UUID. A function that
-- Postgres puts into the statement, for it is called for each of many rows. UUIDs are looked for only where the hyphens of one are:
-- that costs as much again.
create or replace function millrace_private.error_shape(p_error text) returns text
language sql immutable parallel safe
return case when p_error like '%-____-____-____-____________%'
            then regexp_replace(p_error, '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]+([.,:][0-9]+)*', '#', 'gi')
            else regexp_replace(p_error, '[0-9]+([.,:][0-9]+)*', '#', 'g') end;
