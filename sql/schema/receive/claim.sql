-- lease_next for tests and psql, with rows found by index whatever the statistics say.
create or replace function millrace_private.claim(
  p_sink_no integer, p_batch integer, p_visibility interval, out token text, out ids bigint[], out more boolean)
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off
set search_path = pg_catalog, pg_temp as $$
begin
  select n.token, n.ids, n.more into token, ids, more from millrace_private.lease_next(p_sink_no, p_batch, p_visibility) n;
end
$$;
