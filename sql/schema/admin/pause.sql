-- Messages are kept, and capture goes on writing them.
create or replace function millrace.pause(sink text) returns boolean language sql
set search_path = pg_catalog, pg_temp as $$
  select millrace_private.set_status(sink, 'paused')
$$;
comment on function millrace.pause(text) is
  'Stops delivery to a sink; its messages are kept. False when it was paused already.';
