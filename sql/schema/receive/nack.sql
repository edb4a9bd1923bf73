-- See put_back; rows are found by index, as in ack. Given back with a delay, the messages count as tried.
create or replace function millrace.nack(consumer text, ack_ids text[], delay interval default interval '0') returns integer
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set max_parallel_workers_per_gather = 0
set search_path = pg_catalog, pg_temp as $$
begin
  if delay is null or delay < interval '0' or delay > interval '12 h' then
    raise exception 'delay must be from 0 to 12 hours' using errcode = '22023';
  end if;
  return millrace_private.put_back(millrace_private.consumer_no(consumer), 'nack', ack_ids, delay);
end
$$;
comment on function millrace.nack(text, text[], interval) is
  'Gives messages back: visible again at once, or after delay. Returns the number of messages that it applied to.';
