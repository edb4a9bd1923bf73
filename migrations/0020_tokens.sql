-- Tokens: whoever remembers them is told when they change. And which of them can be guessed: those are good only where
-- nobody but this machine reaches the port.
alter table millrace_private.api_tokens add column weak boolean not null default false;

create function millrace_private.tell_of_tokens() returns trigger language plpgsql as $$
begin
  perform pg_catalog.pg_notify('millrace_tokens', '');
  return null;
end
$$;
create trigger tell_of_tokens after insert or update or delete or truncate on millrace_private.api_tokens
  for each statement execute function millrace_private.tell_of_tokens();
