-- The members of a message that was not shaped. Parsed when it is made: see metadata_text.
create or replace function millrace_private.message_members(m millrace_private.messages, p_table text, p_sink text)
returns text language sql stable parallel safe
return '"record":' || m.record || ',"changes":' || coalesce(m.changes, 'null') || ',"action":"' || m.action
    || '","metadata":' || millrace_private.metadata_text(m, p_table, p_sink);
