-- A lane names the session of its owner, so that a worker that died is known to be gone before its lease ends.

-- Key of an advisory lock that the owner's process holds in a session of its own for as long as that lasts; null: unknown,
-- and only the lease tells. Drawn at random by the owner: whoever takes such a lock in its place can only hide a death.
alter table millrace_private.lanes add column session bigint;

-- As before, with the owner's session.
drop function millrace_private.take_lane(integer, integer, text, interval);
create function millrace_private.take_lane(
  p_sink_no integer, p_lane integer, p_owner text, p_ttl interval, p_session bigint default null) returns boolean
language plpgsql set plan_cache_mode = force_generic_plan set lock_timeout = '1s' as $$
begin
  update millrace_private.lanes l set owner = p_owner, until = clock_timestamp() + p_ttl, session = p_session
   where l.sink_no = p_sink_no and l.lane = p_lane
     and (l.owner = p_owner or l.owner is null or l.until < clock_timestamp());
  return found;
exception when lock_not_available then
  return false;
end
$$;
