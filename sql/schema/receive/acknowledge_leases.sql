-- Deletes messages that clients have, of several leases: they never come back. p_ids[n]: ids of the lease with the token
-- p_tokens[n], in order, with commas between them. counts: to how many of each it applied; an id that its token holds no longer is
-- left out. committed: when the first and the last of them were committed, in seconds since 1970.
--
-- Locks: X shared, then lease rows (so tokens ascend), then delivery states, then groups: see lease_batches. It waits 10 s
-- for them, unless its caller says otherwise.
create or replace function millrace_private.acknowledge_leases(
  p_sink_no integer, p_tokens text[], p_ids text[], out counts integer[], out committed text)
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  r record;
  t record;
  v_groups bigint[];
  v_others bigint[];
  v_first timestamptz;
  v_last timestamptz;
  v_is_mine boolean;
  v_told text;
begin
  if current_setting('lock_timeout') = '0' then
    v_told := set_config('lock_timeout', '10s', true);
  end if;
  counts := array_fill(0, array[cardinality(p_tokens)]);
  v_is_mine := millrace_private.lock_consumer(p_sink_no, 'shared');
  -- Until the end of the transaction: see try_lock_consumer. (As an expression: a query costs many times as much.)
  v_told := set_config('millrace.answered', 'yes', true);
  if cardinality(p_tokens) = 1 then
    r := millrace_private.acknowledge_lease(p_sink_no, p_tokens[1], ('{' || p_ids[1] || '}')::bigint[]);
    counts[1] := r.count;
  else
    r := millrace_private.acknowledge_whole(p_sink_no, p_tokens, p_ids);
    for v_place in 1 .. coalesce(cardinality(r.places), 0) loop
      counts[r.places[v_place]] := r.sizes[v_place];
    end loop;
  end if;
  v_groups := r.groups;
  v_others := r.others;
  v_first := r.first;
  v_last := r.last;
  if cardinality(p_tokens) > 1 and 0 = any (counts) then
    -- (Many of these may be invented: none is looked at twice.)
    for t in
      select a.place, a.token, a.ids
        from (select p.place, p.token, ('{' || p.ids || '}')::bigint[] as ids
                from unnest(p_tokens, p_ids, counts) with ordinality p (token, ids, count, place) where p.count = 0) a
       where exists (select from millrace_private.leases l where l.sink_no = p_sink_no and l.token = a.token offset 0)
          or exists (select from millrace_private.delivery_states x
                      where x.sink_no = p_sink_no and x.id = any (a.ids) and x.token = a.token offset 0)
       order by a.token
    loop
      r := millrace_private.acknowledge_lease(p_sink_no, t.token, t.ids);
      counts[t.place] := r.count;
      v_groups := v_groups || r.groups;
      v_others := v_others || r.others;
      v_first := least(v_first, r.first);
      v_last := greatest(v_last, r.last);
    end loop;
  end if;
  committed := concat_ws(' ', date_part('epoch', v_first), date_part('epoch', v_last));

  if v_groups is not null or v_others is not null then
    perform millrace_private.free_acknowledged(p_sink_no, v_groups, v_others);
  end if;
end
$$;
