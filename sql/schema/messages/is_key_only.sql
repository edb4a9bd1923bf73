-- Did capture keep the key alone of a message that failed so? As it writes its reasons (routing/write-change.ts, messages/persist.ts).
create or replace function millrace_private.is_key_only(p_stage text, p_error text) returns boolean
language sql immutable parallel safe
return coalesce(p_stage = 'capture' and p_error like '%only its key was kept%', false);
