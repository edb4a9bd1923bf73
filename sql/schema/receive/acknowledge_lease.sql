-- Deletes messages of one lease: those that its token still holds, and says to how many that applied, which groups may have come
-- free (groups; others, if the consumer has rows whose key has changed), and when the first and the last one were committed. Whoever
-- calls it has X shared, and frees the groups: see acknowledge_leases.
--
-- Nearly always it is the whole batch, untouched, and goes by range. Else it takes what is still on the straight path (in the lease,
-- and without a delivery state), and what the token was the last to hold. Messages and their states are found by `id = any (...)` and
-- by ranges from subqueries, never by a join: with statistics of a queue that was empty, a join may well read all of it and throw
-- away what does not match.
create or replace function millrace_private.acknowledge_lease(
  p_sink_no integer, p_token text, p_ids bigint[], out count integer, out groups bigint[], out others bigint[],
  out first timestamptz, out last timestamptz)
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_lease record;
  v_part record;
begin
  -- (A row that was shaped late may have come into the range; it has a state then.) Who took something out of it meanwhile has
  -- changed the lease row, which is looked at again when its lock is had. Then the groups of which a row is left: nobody can
  -- pass one while we hold X. Rows with a changed key are rare: of a large batch it is not asked for each row.
  with lease as materialized (
    select l.ctid as place, l.lo, l.hi from millrace_private.leases l
     where l.sink_no = p_sink_no and l.token >= p_token and l.token <= p_token
       and l.dense and l.remaining = l.size and l.size = cardinality(p_ids) and l.digest = hash_array_extended(p_ids, 0)
       and (select true from millrace_private.delivery_states x
             where x.sink_no = p_sink_no and x.id > l.lo and x.id <= l.hi order by x.id limit 1) is null
     order by l.token limit 1 for update
  ), gone as (
    delete from millrace_private.messages m
     where m.sink_no = p_sink_no and m.lane = 0
       and m.id > (select l.lo from lease l) and m.id <= (select l.hi from lease l)
    returning m.id, m.group_key, m.group_key2, m.committed_at
  ), over as (
    delete from millrace_private.leases o where o.ctid = (select l.place from lease l)
  )
  select count(*), array_agg(g.group_key) filter (where g.group_key is not null and (
           exists (select from millrace_private.messages n
                    where n.sink_no = p_sink_no and n.group_key = g.group_key and n.id > g.id offset 0)
           or (cardinality(p_ids) <= 8
               and exists (select from millrace_private.messages n
                            where n.sink_no = p_sink_no and n.group_key2 = g.group_key and n.id > g.id offset 0))))
         || array_agg(g.group_key2) filter (where g.group_key2 is not null),
         array_agg(g.group_key) filter (where g.group_key is not null and cardinality(p_ids) > 8),
         min(g.committed_at), max(g.committed_at)
    into count, groups, others, first, last from gone g;
  if count > 0 then
    return;
  end if;

  v_lease := millrace_private.lock_lease(p_sink_no, p_token);
  if v_lease.place is not null then
    with gone as (
      delete from millrace_private.messages m
       where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (p_ids)
         and m.id > v_lease.lo and m.id <= v_lease.hi and (v_lease.dense or m.id = any (v_lease.ids))
         and (select true from millrace_private.delivery_states x
               where x.sink_no = p_sink_no and x.id = m.id order by x.id limit 1) is null
      returning m.group_key, m.group_key2, m.committed_at
    )
    select count(*), array_agg(g.group_key) || array_agg(g.group_key2), min(g.committed_at), max(g.committed_at)
      into count, groups, first, last from gone g;
    if count > 0 then
      perform millrace_private.shrink_lease(v_lease.place, count);
    end if;
  end if;
  with settled as (
    delete from millrace_private.delivery_states x
     where x.sink_no = p_sink_no and x.id = any (p_ids) and x.lane = 0 and x.token = p_token
    returning x.id
  ), gone as (
    delete from millrace_private.messages m
     where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (array(select s.id from settled s))
    returning m.group_key, m.group_key2, m.committed_at
  )
  select count(*) as count, array_agg(g.group_key) || array_agg(g.group_key2) as groups,
         min(g.committed_at) as first, max(g.committed_at) as last
    into v_part from gone g;
  count := count + v_part.count;
  groups := array_remove(groups || v_part.groups, null);
  first := least(first, v_part.first);
  last := greatest(last, v_part.last);
end
$$;
