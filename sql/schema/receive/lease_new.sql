-- Which messages above the cursor go out, at most p_limit; the caller holds X alone, and writes them down. Those that may not go
-- are passed, up to 1,000 in a call (more: it stopped there), so that the locks are held for milliseconds however many were
-- parked on arrival. hi: the last row looked at. dense: none was passed.
-- With max_per_group above 1, messages of a group go out together, unless one of them has to wait. A message of two groups counts in
-- both: where rows are grouped by other columns than their key, each one is (routing/fan-out.ts).
create or replace function millrace_private.lease_new(
  p_sink_no integer, p_cursor bigint, p_max_per_group integer, p_limit integer,
  out ids bigint[], out hi bigint, out dense boolean, out more boolean)
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  r record;
  v_bound bigint := case when p_max_per_group = 1 then 9223372036854775807 else p_cursor + 1 end;
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
    select m.id, array[m.group_key, m.group_key2] as groups,
           exists (select from millrace_private.delivery_states x
                    where x.sink_no = p_sink_no and x.id = m.id offset 0)
           or exists (select from millrace_private.blockers(p_sink_no, m.group_key, least(m.id, v_bound)) offset 0)
           or (m.group_key2 is not null
               and exists (select from millrace_private.blockers(p_sink_no, m.group_key2, least(m.id, v_bound)) offset 0)) as behind,
           case when p_max_per_group = 1 or m.group_key is null then '{0,0}'
                else array[(select count(*)
                              from (select from millrace_private.blockers(p_sink_no, m.group_key, m.id) e (id)
                                     where e.id > p_cursor limit p_max_per_group) b),
                           (select count(*)
                              from (select from millrace_private.blockers(p_sink_no, m.group_key2, m.id) e (id)
                                     where e.id > p_cursor limit p_max_per_group) b)] end as before
      from millrace_private.messages m
     where m.sink_no = p_sink_no and m.lane = 0 and m.id > p_cursor
     order by m.id
  loop
    if r.behind or p_max_per_group <= any (r.before)
       or r.before[1] > coalesce(cardinality(array_positions(v_groups, r.groups[1])), 0)
       or r.before[2] > coalesce(cardinality(array_positions(v_groups, r.groups[2])), 0) then
      -- The last conditions: of those before it in its groups, one does not go now.
      more := v_passed >= 1000;
      exit when more;
      v_passed := v_passed + 1;
    else
      ids := ids || r.id;
      if p_max_per_group > 1 then
        v_groups := v_groups || r.groups;
      end if;
    end if;
    hi := r.id;
    exit when cardinality(ids) = p_limit;
  end loop;
  dense := v_passed = 0;
end
$$;
