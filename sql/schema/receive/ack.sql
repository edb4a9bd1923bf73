-- Rows are found by index, whatever the statistics say; connections of our own set that for themselves. See acknowledge.
create or replace function millrace.ack(consumer text, ack_ids text[]) returns integer language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off
set search_path = pg_catalog, pg_temp as $$
begin
  return millrace_private.acknowledge(millrace_private.consumer_no(consumer), ack_ids);
end
$$;
comment on function millrace.ack(text, text[]) is
  'Marks these messages as done: they never come back. Returns the number of messages that it applied to; unknown ids are ignored.';
