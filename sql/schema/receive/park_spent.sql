-- Parks those of a token's messages that were given back and delivered as often as their consumer allows; one that sets no limit
-- parks none. Returns the groups that they no longer hold back.
create or replace function millrace_private.park_spent(p_sink_no integer, p_token text, p_ids bigint[]) returns bigint[]
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_groups bigint[];
begin
  with parked as (
    update millrace_private.delivery_states x
       set state = 'parked', due_at = null, parked_at = clock_timestamp()
     where x.sink_no = p_sink_no and x.id = any (p_ids) and x.lane = 0 and x.token = p_token
       and x.state = 'retrying'
       and x.attempts >= (select c.max_deliver from millrace_private.consumers c where c.sink_no = p_sink_no)
    returning x.id
  )
  select array_agg(g.group_key) filter (where g.group_key is not null) into v_groups
    from millrace_private.messages m
   cross join lateral unnest(array[m.group_key, m.group_key2]) g (group_key)
   where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (array(select p.id from parked p));
  return v_groups;
end
$$;
