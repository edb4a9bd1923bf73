-- Rows are found by index, whatever the statistics say; connections of our own set that for themselves. See acknowledge.
create or replace function millrace.ack(consumer text, ack_ids text[]) returns integer language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set max_parallel_workers_per_gather = 0
set search_path = pg_catalog, pg_temp as $$
declare
  v_no integer;
begin
  select s.no into v_no from millrace_private.sinks s where s.receivable and s.name = consumer;
  if not found then
    v_no := millrace_private.consumer_no(consumer);
  end if;
  return millrace_private.acknowledge(v_no, ack_ids);
end
$$;
comment on function millrace.ack(text, text[]) is
  'Marks these messages as done: they never come back. Returns the number of messages that it applied to; unknown ids are ignored.';
