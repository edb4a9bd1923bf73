-- Leases up to p_limit messages that are due again; the caller holds X exclusively. Those behind an earlier row of their
-- group are held until that one goes.
create or replace function millrace_private.lease_due(
  p_sink_no integer, p_limit integer, p_token text, p_now timestamptz, p_until timestamptz) returns bigint[]
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  r record;
  v_taken bigint[] := '{}';
  v_held bigint[] := '{}';
  v_gone bigint[] := '{}';
begin
  if p_limit <= 0 then
    return v_taken;
  end if;
  for r in
    select x.id, m.id is null as gone,
           exists (select from millrace_private.blockers(p_sink_no, m.group_key, m.id) offset 0)
           or (m.group_key2 is not null
               and exists (select from millrace_private.blockers(p_sink_no, m.group_key2, m.id) offset 0)) as behind
      from millrace_private.delivery_states x
      left join millrace_private.messages m on m.sink_no = p_sink_no and m.lane = 0 and m.id = x.id
     where x.sink_no = p_sink_no and x.lane = 0 and x.due_at <= p_now
     order by x.due_at, x.id
     limit 1000
  loop
    if r.gone then
      v_gone := v_gone || r.id;
    elsif r.behind then
      v_held := v_held || r.id;
    else
      v_taken := v_taken || r.id;
      exit when cardinality(v_taken) = p_limit;
    end if;
  end loop;
  if cardinality(v_gone) > 0 then
    delete from millrace_private.delivery_states x using unnest(v_gone) g (id) where x.sink_no = p_sink_no and x.id = g.id;
  end if;
  if cardinality(v_held) > 0 then
    update millrace_private.delivery_states x set state = 'held', due_at = null
      from unnest(v_held) h (id) where x.sink_no = p_sink_no and x.id = h.id;
  end if;
  if cardinality(v_taken) > 0 then
    update millrace_private.delivery_states x
       set state = 'leased', token = p_token, attempts = x.attempts + 1, due_at = p_until, stage = null, error = null
      from unnest(v_taken) t (id) where x.sink_no = p_sink_no and x.id = t.id;
  end if;
  return v_taken;
end
$$;
