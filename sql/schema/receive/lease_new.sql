-- Which messages above the cursor go out, at most p_limit; the caller holds X alone, and writes them down. Those that may not go
-- are passed, up to 1,000 in a call (more: it stopped there), so that the locks are held for milliseconds however many were
-- parked on arrival. hi: the last row looked at. dense: none was passed.
-- With max_per_group above 1, messages of a group go out together, unless one of them has to wait: the last one before a message must
-- go now, for that one goes only if the last one before it does. A message of two groups counts in both: where rows are grouped by other
-- columns than their key, each one is (routing/fan-out.ts).
create or replace function millrace_private.lease_new(
  p_sink_no integer, p_cursor bigint, p_max_per_group integer, p_limit integer,
  out ids bigint[], out hi bigint, out dense boolean, out more boolean)
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  r record;
  v_passed integer := 0;
  v_groups bigint[] := '{}';
begin
  ids := '{}';
  hi := p_cursor;
  dense := true;
  more := false;
  if p_limit <= 0 then
    return;
  end if;
  for r in
    select m.id, m.group_key, m.group_key2, s.has_state,
           case when not s.has_state then
             (select b.id from millrace_private.last_blocker(p_sink_no, m.group_key, m.id) b (id)) end as before,
           case when not s.has_state and m.group_key2 is not null then
             (select b.id from millrace_private.last_blocker(p_sink_no, m.group_key2, m.id) b (id)) end as before2
      from millrace_private.messages m
     cross join lateral (select exists (select from millrace_private.delivery_states x
                                         where x.sink_no = p_sink_no and x.id = m.id offset 0) as has_state offset 0) s
     where m.sink_no = p_sink_no and m.lane = 0 and m.id > p_cursor
     order by m.id
  loop
    if r.has_state
       or r.before is not null and (p_max_per_group = 1 or r.before <> all (ids))
       or r.before2 is not null and (p_max_per_group = 1 or r.before2 <> all (ids))
       or r.before is not null and cardinality(array_positions(v_groups, r.group_key)) >= p_max_per_group
       or r.before2 is not null and cardinality(array_positions(v_groups, r.group_key2)) >= p_max_per_group then
      more := v_passed >= 1000;
      exit when more;
      v_passed := v_passed + 1;
    else
      ids := ids || r.id;
      if p_max_per_group > 1 then
        v_groups := v_groups || array[r.group_key, r.group_key2];
      end if;
    end if;
    hi := r.id;
    exit when cardinality(ids) = p_limit;
  end loop;
  dense := v_passed = 0;
end
$$;
