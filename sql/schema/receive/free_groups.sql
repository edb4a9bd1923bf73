-- After rows of these groups were deleted or parked, in a statement of its own: makes each group's next row due, if it
-- was passed. A next row that somebody holds is left to its own acknowledgement; two of those at once could each see
-- the other's row still there, so such a group is looked at a second time under a lock of its own.
create or replace function millrace_private.free_groups(
  p_sink_no integer, p_groups bigint[], p_due timestamptz default clock_timestamp()) returns void
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_groups bigint[];
  v_round integer := 0;
begin
  -- Most often there is no next row at all. (Each group once: whoever looks goes past all that was deleted of it just now.)
  select array_agg(g.group_key) into v_groups
    from (select distinct k.group_key from unnest(p_groups) k (group_key)) g
   where exists (select from millrace_private.messages m
                  where m.sink_no = p_sink_no and m.group_key = g.group_key offset 0)
      or exists (select from millrace_private.messages m
                  where m.sink_no = p_sink_no and m.group_key2 = g.group_key offset 0);
  if v_groups is null then
    return;
  end if;
  loop
    with next_row as materialized (
      select g.group_key, n.id, n.lane, n.row_group, n.source_table, n.action, n.record_pks, n.committed_at,
             x.state,
             n.id <= coalesce((select c.id from millrace_private.cursor_log c
                                where c.sink_no = p_sink_no and c.lane = 0 order by c.seq desc limit 1), 0) as passed,
             coalesce((select l.lo < n.id and (l.dense or n.id = any (l.ids))
                         from millrace_private.leases l
                        where l.sink_no = p_sink_no and l.hi >= n.id order by l.hi limit 1), false) as in_lease
        from unnest(v_groups) g (group_key)
       cross join lateral (
             select f.*
               from ((select m.id, m.lane, m.group_key as row_group, m.source_table, m.action, m.record_pks, m.committed_at
                        from millrace_private.messages m
                       where m.sink_no = p_sink_no and m.group_key = g.group_key
                         and not exists (select from millrace_private.parked(p_sink_no, m.id) offset 0)
                       order by m.id limit 1)
                     union all
                     (select m.id, m.lane, m.group_key as row_group, m.source_table, m.action, m.record_pks, m.committed_at
                        from millrace_private.messages m
                       where m.sink_no = p_sink_no and m.group_key2 = g.group_key
                         and not exists (select from millrace_private.parked(p_sink_no, m.id) offset 0)
                       order by m.id limit 1)) f
              order by f.id limit 1) n
        left join millrace_private.delivery_states x on x.sink_no = p_sink_no and x.id = n.id
    ), freed as (
      insert into millrace_private.delivery_states as e
             (sink_no, id, lane, group_key, state, attempts, due_at, source_table, action, record_pks, committed_at)
      select distinct on (n.id) p_sink_no, n.id, 0, n.row_group, 'waiting', 0, p_due, n.source_table, n.action::"char", n.record_pks, n.committed_at
        from next_row n
       where n.lane = 0 and (n.state = 'held' or (n.state is null and n.passed and not n.in_lease))
       order by n.id
          on conflict (sink_no, id) do update set state = 'waiting', due_at = excluded.due_at where e.state = 'held'
    )
    select array_agg(n.group_key order by n.group_key) into v_groups
      from next_row n
     where n.lane = 0 and (n.in_lease or n.state in ('leased', 'retrying', 'waiting'));
    v_round := v_round + 1;
    exit when v_groups is null or v_round = 2;
    perform millrace_private.lock_groups(p_sink_no, v_groups);
  end loop;
end
$$;
