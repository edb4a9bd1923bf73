-- The finished message as text. Parsed when it is made: see metadata_text.
create or replace function millrace_private.message_text(m millrace_private.messages, p_table text, p_sink text) returns text
language sql stable parallel safe
return coalesce(m.payload, '{' || millrace_private.message_members(m, p_table, p_sink) || '}');
