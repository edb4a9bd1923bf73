-- Expired leases: what is left of them becomes due again, or is parked when it was delivered often enough. The caller
-- holds X exclusively, and knows that no lease is left that ended at p_since or before. Only the first
-- 2,000 that are due are looked at, and what follows when some of these were parked: a receive looks at no more (lease_due, twice), and
-- hundreds of thousands may be due, where somebody retried them.
create or replace function millrace_private.sweep_leases(
  p_sink_no integer, p_max_deliver integer, p_now timestamptz, p_since timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_count bigint;
  v_groups bigint[];
begin
  with expired as (
    delete from millrace_private.leases l where l.sink_no = p_sink_no and l.until <= p_now and l.until > p_since
    returning l.token, l.lo, l.hi, l.dense, l.ids
  )
  insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, due_at, token, stage, error,
                                                source_table, action, record_pks, committed_at)
  select p_sink_no, m.id, 0, m.group_key, 'retrying', 1, p_now, e.token, 'receive',
         'the visibility timeout passed without an acknowledgement',
         m.source_table, m.action::"char", m.record_pks, m.committed_at
    from expired e
    join millrace_private.messages m on m.sink_no = p_sink_no and m.lane = 0 and m.id > e.lo and m.id <= e.hi
   where e.dense or m.id = any (e.ids)
      on conflict (sink_no, id) do nothing;

  while p_max_deliver is not null loop
    with parked as (
      update millrace_private.delivery_states x
         set state = 'parked', due_at = null, parked_at = p_now, stage = 'receive',
             error = coalesce(x.error, 'the visibility timeout passed without an acknowledgement')
       where x.sink_no = p_sink_no
         and x.id = any (array(
               select d.id
                 from (select o.id, o.state, o.attempts from millrace_private.delivery_states o
                        where o.sink_no = p_sink_no and o.lane = 0 and o.due_at <= p_now
                        order by o.due_at, o.id limit 2000) d
                where d.state in ('leased', 'retrying') and d.attempts >= p_max_deliver))
      returning x.id, x.lane
    )
    select count(*), v_groups || array_agg(distinct g.group_key) filter (where g.group_key is not null) into v_count, v_groups
      from parked p
      left join millrace_private.messages m on m.sink_no = p_sink_no and m.lane = p.lane and m.id = p.id
     cross join lateral unnest(array[m.group_key, m.group_key2]) g (group_key);
    exit when v_count = 0;
  end loop;
  if v_groups is not null then
    perform millrace_private.free_groups(p_sink_no, v_groups, p_now);
  end if;
end
$$;
