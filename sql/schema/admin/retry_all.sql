-- However many they are: a worker does it, a thousand in a transaction.
create or replace function millrace.retry_all(sink text, filter jsonb default '{}') returns uuid language sql
set search_path = pg_catalog, pg_temp as $$
  select millrace_private.begin_settling('retry', sink, filter)
$$;
comment on function millrace.retry_all(text, jsonb) is
  'Has all parked messages put back that fit a filter: {"table": "public.orders", "error": "timeout"}. Returns the id that operation_status shows.';
