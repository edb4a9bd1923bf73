-- A message as a client gets it, with its ack_id. p_open and p_close: around the members of one that was not shaped. Parsed when it
-- is made: see metadata_text.
create or replace function millrace_private.leased_message(
  m millrace_private.messages, p_token text, p_table text, p_sink text, p_open text, p_close text)
returns text language sql stable parallel safe
return '{"ack_id":"' || p_token || '-' || m.id || '",'
    || case when m.payload is not null then '"data":' || m.payload
            else p_open || millrace_private.message_members(m, p_table, p_sink) || p_close end || '}';
