-- For transactions that hold what our processes wait for: until it ends, a session that says nothing for 30 s is ended, as those of
-- ours are. A person with psql may have left it open.
create or replace function millrace_private.limit_idling() returns void language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  if current_setting('idle_in_transaction_session_timeout')::interval not between interval '1 ms' and interval '30 s' then
    perform set_config('idle_in_transaction_session_timeout', '30s', true);
  end if;
end
$$;
