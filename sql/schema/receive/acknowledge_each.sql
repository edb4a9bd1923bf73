-- The rest of acknowledge, whose locks it relies on: part of a batch, ids of several, or late ones. Of each token it takes what is
-- still on the straight path (in the lease, and without a delivery state), and what it was the last to hold.
create or replace function millrace_private.acknowledge_each(p_sink_no integer, p_ack_ids text[]) returns integer
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  t record;
  v_lease record;
  v_taken integer;
  v_more bigint[];
  v_count integer := 0;
  v_groups bigint[] := '{}';
  v_first timestamptz;
  v_last timestamptz;
  v_told text;
begin
  for t in select k.token, k.ids from millrace_private.known_tokens(p_sink_no, p_ack_ids) k loop
    select l.place, l.lo, l.hi, l.dense, l.ids into v_lease from millrace_private.lock_lease(p_sink_no, t.token) l;
    if v_lease.place is not null then
      with gone as (
        delete from millrace_private.messages m
         where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (t.ids)
           and m.id > v_lease.lo and m.id <= v_lease.hi and (v_lease.dense or m.id = any (v_lease.ids))
           and (select true from millrace_private.delivery_states x
                 where x.sink_no = p_sink_no and x.id = m.id order by x.id limit 1) is null
        returning m.group_key, m.group_key2, m.committed_at
      )
      select count(*), array_agg(g.group_key) filter (where g.group_key is not null)
             || coalesce(array_agg(g.group_key2) filter (where g.group_key2 is not null), '{}'),
             least(v_first, min(g.committed_at)), greatest(v_last, max(g.committed_at))
        into v_taken, v_more, v_first, v_last from gone g;
      if v_taken > 0 then
        perform millrace_private.shrink_lease(v_lease.place, v_taken);
      end if;
      v_count := v_count + v_taken;
      v_groups := v_groups || v_more;
    end if;

    with settled as (
      delete from millrace_private.delivery_states x
       where x.sink_no = p_sink_no and x.id = any (t.ids) and x.lane = 0 and x.token = t.token
      returning x.id
    ), gone as (
      delete from millrace_private.messages m
       where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (array(select s.id from settled s))
      returning m.group_key, m.group_key2, m.committed_at
    )
    select count(*), array_agg(g.group_key) filter (where g.group_key is not null)
           || coalesce(array_agg(g.group_key2) filter (where g.group_key2 is not null), '{}'),
           least(v_first, min(g.committed_at)), greatest(v_last, max(g.committed_at))
      into v_taken, v_more, v_first, v_last from gone g;
    v_count := v_count + v_taken;
    v_groups := v_groups || v_more;
  end loop;
  if cardinality(v_groups) > 0 then
    perform millrace_private.free_groups(p_sink_no, v_groups);
  end if;
  v_told := set_config('millrace.committed', concat_ws(' ', date_part('epoch', v_first), date_part('epoch', v_last)), true);
  return v_count;
end
$$;
