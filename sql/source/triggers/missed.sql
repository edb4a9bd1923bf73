-- One row of a transaction and a table for what was not noted: a session keeps in mind that it is there, under a mark that it cannot
-- make up, for the schema's id is nobody else's to read. `why`: off, the session had millrace.capture off; error, with its code.
create or replace function millrace_capture.missed(rel oid, why text, code text) returns void
  language plpgsql as $millrace$
declare
  place constant text := 'millrace.missed_' || rel;
  mark constant text := (select encode(sha256(convert_to(concat_ws(' ', a.id, pg_current_xact_id(), rel, why), 'UTF8')), 'hex')
                           from millrace_capture.about a);
  seq bigint;
begin
  if current_setting(place, true) = mark then return; end if;
  seq := nextval('millrace_capture.changes_seq');
  insert into millrace_capture.changes (seq, part, rel, op, old, new) values (seq, (seq >> 16) & 3, rel, 'X', why, code);
  perform set_config(place, mark, true);
end $millrace$;
