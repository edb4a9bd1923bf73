-- However many they are: a worker does it, a thousand in a transaction.
create or replace function millrace.discard_all(sink text, filter jsonb default '{}') returns uuid language sql
set search_path = pg_catalog, pg_temp as $$
  select millrace_private.begin_settling('discard', sink, filter)
$$;
comment on function millrace.discard_all(text, jsonb) is
  'Has all messages deleted that failed and fit a filter: {"state": "parked", "table": "public.orders"}. Returns the id that operation_status shows.';
