-- What is there already waits until the sink is resumed, or is discarded.
create or replace function millrace.disable(sink text) returns boolean language sql
set search_path = pg_catalog, pg_temp as $$
  select millrace_private.set_status(sink, 'disabled')
$$;
comment on function millrace.disable(text) is
  'Stops delivery to a sink and keeps no changes for it from now on. False when it was disabled already.';
