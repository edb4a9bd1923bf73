-- See put_back; rows are found by index, as in ack. The messages stay with the client until visibility_timeout from now.
create or replace function millrace.extend(consumer text, ack_ids text[], visibility_timeout interval) returns integer
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set max_parallel_workers_per_gather = 0
set search_path = pg_catalog, pg_temp as $$
begin
  if visibility_timeout is null or visibility_timeout < interval '500 ms' or visibility_timeout > interval '12 h' then
    raise exception 'visibility_timeout must be from 500 milliseconds to 12 hours' using errcode = '22023';
  end if;
  return millrace_private.put_back(millrace_private.consumer_no(consumer), 'extend', ack_ids, visibility_timeout);
end
$$;
comment on function millrace.extend(text, text[], interval) is
  'Extends leases to visibility_timeout from now. Returns the number of messages that it applied to.';
