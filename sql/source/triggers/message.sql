-- Puts a text among the changes of this transaction, as pg_logical_emit_message does; everybody may. What is longer than any text of ours
-- means nothing, so only the beginning is kept: whoever reads has it in memory.
create or replace function millrace_capture.message(prefix text, content text) returns bigint
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $millrace$
declare
  seq constant bigint := nextval('millrace_capture.changes_seq');
begin
  insert into millrace_capture.changes (seq, part, rel, op, old, new) values (seq, (seq >> 16) & 3, 0, 'M', left(prefix, 100), left(content, 65537));
  return seq;
end $millrace$;
grant execute on function millrace_capture.message(text, text) to public;
