-- Leases what comes right behind the messages p_ids, which go out again, in their groups, and was passed or is held: with max_per_group
-- above 1, messages of a group go out together, whether a receive has passed them or not. At most p_limit; the caller holds X
-- alone. What is behind anything else stays: whoever deletes that looks it up (free_groups).
create or replace function millrace_private.lease_following(
  p_sink_no integer, p_ids bigint[], p_cursor bigint, p_max_per_group integer, p_limit integer, p_token text, p_until timestamptz)
returns bigint[] language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  r record;
  v_taken bigint[] := '{}';
  -- Of all that go, as often as they have one there.
  v_groups bigint[] := array(
    select g.group_key
      from millrace_private.messages m
     cross join lateral unnest(array[m.group_key, m.group_key2]) g (group_key)
     where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (p_ids) and g.group_key is not null);
  v_looked bigint[] := v_groups;
  -- Of messages that stay: nothing behind them goes.
  v_closed bigint[] := '{}';
begin
  for r in
    select distinct on (n.id) n.id, array_remove(array[n.group_key, n.group_key2], null) as groups,
           n.lane = 0
           and (x.state = 'held'
                or x.state is null
                   and not coalesce((select l.lo < n.id and (l.dense or n.id = any (l.ids))
                                       from millrace_private.leases l
                                      where l.sink_no = p_sink_no and l.hi >= n.id order by l.hi limit 1), false)) as may
      from (select distinct k.group_key from unnest(v_groups) k (group_key)) g
     cross join lateral (
           (select m.id, m.lane, m.group_key, m.group_key2
              from millrace_private.messages m
             where m.sink_no = p_sink_no and m.group_key = g.group_key and m.id <= p_cursor
               and not exists (select from millrace_private.parked(p_sink_no, m.id) offset 0)
             order by m.id limit p_max_per_group)
           union all
           (select m.id, m.lane, m.group_key, m.group_key2
              from millrace_private.messages m
             where m.sink_no = p_sink_no and m.group_key2 = g.group_key and m.id <= p_cursor
               and not exists (select from millrace_private.parked(p_sink_no, m.id) offset 0)
             order by m.id limit p_max_per_group)) n
      left join millrace_private.delivery_states x on x.sink_no = p_sink_no and x.id = n.id
     where n.id <> all (p_ids)
     order by n.id
  loop
    exit when cardinality(v_taken) >= p_limit;
    -- What is before it in the groups that were looked through has been here; in its other one it is asked for.
    if not r.may or r.groups && v_closed
       or p_max_per_group <= any (array(
            select cardinality(array_positions(v_groups, k.group_key)) from unnest(r.groups) k (group_key)))
       or exists (select from unnest(r.groups) k (group_key)
                   cross join lateral millrace_private.blockers(p_sink_no, k.group_key, r.id) b (id)
                   where k.group_key <> all (v_looked) and b.id <> all (p_ids || v_taken)) then
      v_closed := v_closed || r.groups;
    else
      v_taken := v_taken || r.id;
      v_groups := v_groups || r.groups;
    end if;
  end loop;
  insert into millrace_private.delivery_states as e (sink_no, id, lane, group_key, state, attempts, due_at, token,
                                                     source_table, action, record_pks, committed_at)
  select p_sink_no, m.id, 0, m.group_key, 'leased', 1, p_until, p_token,
         m.source_table, m.action::"char", m.record_pks, m.committed_at
    from millrace_private.messages m
   where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (v_taken)
      on conflict (sink_no, id) do update
     set state = 'leased', token = excluded.token, attempts = e.attempts + 1, due_at = excluded.due_at, stage = null, error = null;
  return v_taken;
end
$$;
