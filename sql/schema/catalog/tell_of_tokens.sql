-- Whoever remembers tokens, people and sessions is told when they change, in the transaction that changes them. That one was used
-- changes nothing.
create or replace function millrace_private.tell_of_tokens() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_catalog.pg_notify('millrace_tokens', '');
  return null;
end
$$;
create or replace trigger tell_of_tokens
  after insert or delete or truncate or update of name, hash, scopes, weak, expires_at, revoked_at on millrace_private.api_tokens
  for each statement execute function millrace_private.tell_of_tokens();
create or replace trigger tell_of_users after delete or truncate or update of email, name, scopes on millrace_private.users
  for each statement execute function millrace_private.tell_of_tokens();
create or replace trigger tell_of_sessions after delete or truncate or update of hash, expires_at on millrace_private.sessions
  for each statement execute function millrace_private.tell_of_tokens();
