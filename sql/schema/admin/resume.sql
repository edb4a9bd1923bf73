-- A paused sink goes on where it stood; one that was disabled begins with what is captured from now on.
create or replace function millrace.resume(sink text) returns boolean language sql
set search_path = pg_catalog, pg_temp as $$
  select millrace_private.set_status(sink, 'active')
$$;
comment on function millrace.resume(text) is 'Resumes delivery to a sink. False when it was active already.';
