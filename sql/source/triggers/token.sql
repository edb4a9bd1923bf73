-- A text that is the same in a session for as long as the table is: it is no constant, but Postgres is told so, and computes it when
-- it plans an expression that has it. The plan is thrown away, with the text, as soon as anything about the table changes (its
-- relation cache is told), in this session at once, and before anybody else's lock on the table is granted. Where it is
-- computed more often, each row's shape is looked for: slower, and still right.
create or replace function millrace_capture.token(rel regclass) returns text
  language sql immutable parallel safe set search_path = pg_catalog, pg_temp
  as 'select gen_random_uuid()::text';
