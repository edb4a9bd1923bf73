-- As count_pending, for a look at all sinks at once: more than 1,000 messages are not counted one by one, but by Postgres' own
-- count of the rows. What that does not know (after a crash or a failover of the server) is counted up to 2,000: with a hundred
-- sinks that have fallen behind, more would take seconds, for as long as nobody analyses their tables.
create or replace function millrace_private.glance_pending(
  p_sink_no integer, p_parked bigint, out pending bigint, out is_estimate boolean)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  pending := pg_catalog.pg_stat_get_live_tuples(to_regclass('millrace_private.messages_' || p_sink_no));
  if pending > 1000 then
    pending := greatest(pending - p_parked, 0);
    is_estimate := true;
    return;
  end if;
  select c.pending, c.is_estimate into pending, is_estimate from millrace_private.count_some(p_sink_no, 2000) c;
end
$$;
