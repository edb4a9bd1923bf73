-- answer_ids for tests and psql, with rows found by index whatever the statistics say.
create or replace function millrace_private.answer(
  p_sink_no integer, p_what text, p_ack_ids text[], p_delay interval) returns integer
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off
set search_path = pg_catalog, pg_temp as $$
begin
  return millrace_private.answer_ids(p_sink_no, p_what, p_ack_ids, p_delay);
end
$$;
