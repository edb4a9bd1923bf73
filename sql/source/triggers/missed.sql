-- One row of a transaction and a table for what was not noted. `why`: off, the session had millrace.capture off; error, with its code.
create or replace function millrace_capture.missed(rel oid, why text, code text) returns void
  language plpgsql as $millrace$
declare
  place constant text := 'millrace.missed_' || rel;
  mark constant text := pg_current_xact_id() || why;
  seq bigint;
begin
  if current_setting(place, true) = mark then return; end if;
  seq := nextval('millrace_capture.changes_seq');
  insert into millrace_capture.changes (seq, part, rel, op, old, new) values (seq, (seq >> 16) & 3, rel, 'X', why, code);
  perform set_config(place, mark, true);
end $millrace$;
