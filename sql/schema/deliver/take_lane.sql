-- As before, and counts an owner that did not give it back; for its message alone too, if it had begun with that.
create or replace function millrace_private.take_lane(
  p_sink_no integer, p_lane integer, p_owner text, p_ttl interval, p_session bigint default null) returns boolean
language plpgsql set plan_cache_mode = force_generic_plan set lock_timeout = '1s'
set search_path = pg_catalog, pg_temp as $$
begin
  update millrace_private.lanes l
     set owner = p_owner, until = clock_timestamp() + p_ttl, session = p_session,
         deaths = case when l.owner <> p_owner then least(l.deaths + 1, 1000) else l.deaths end,
         alone_deaths = case when l.owner <> p_owner and l.alone is not null and coalesce(l.alone_begun, true)
                             then least(l.alone_deaths + 1, 1000) else l.alone_deaths end,
         alone_begun = l.alone_begun and false
   where l.sink_no = p_sink_no and l.lane = p_lane
     and (l.owner = p_owner or l.owner is null or l.until < clock_timestamp());
  return found;
exception when lock_not_available then
  return false;
end
$$;
