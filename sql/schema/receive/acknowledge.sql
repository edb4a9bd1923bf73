-- Deletes messages that a client has: they never come back. Returns how many; an id that its token holds no longer is left out.
--
-- Nearly always it is the whole batch of one lease, untouched, and goes by range. The rest does acknowledge_each.
--
-- Locks: X shared, then the lease row, then delivery states, then groups: see lease_next. Messages and their states are found by
-- `id = any (...)` and by ranges from subqueries, never by a join: with statistics of a queue that was empty, a join may well
-- read all of it and throw away what does not match.
create or replace function millrace_private.acknowledge(p_sink_no integer, p_ack_ids text[]) returns integer
language plpgsql set lock_timeout = '10s'
set search_path = pg_catalog, pg_temp as $$
declare
  v_token text := left(p_ack_ids[1], 32);
  v_text text := array_to_string(p_ack_ids, ',');
  v_rest text := replace(v_text, v_token || '-', '');
  v_ids bigint[];
  v_count integer;
  v_groups bigint[];
  v_more bigint[];
  v_first timestamptz;
  v_last timestamptz;
  v_told text;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    perform millrace_private.require_read_committed();
  end if;
  if not millrace_private.lock_consumer(p_sink_no, 'shared') then
    return 0;
  end if;
  -- Until the end of the transaction: see lock_consumer.
  perform set_config('millrace.answered', 'yes', true);
  -- All of one token, as parse_ack_ids looks at them.
  if octet_length(v_text) - octet_length(v_rest) <> 33 * cardinality(p_ack_ids)
     or v_rest !~ '^[0-9]{1,18}(,[0-9]{1,18})*$'
     or octet_length(v_rest) - octet_length(replace(v_rest, ',', '')) <> cardinality(p_ack_ids) - 1 then
    return millrace_private.acknowledge_each(p_sink_no, p_ack_ids);
  end if;

  v_ids := ('{' || v_rest || '}')::bigint[];
  -- (A row that was shaped late may have come into the range; it has a state then.) Who took something out of it meanwhile has
  -- changed the lease row, which is looked at again when its lock is had. Then the groups of which a row is left: nobody can
  -- pass one while we hold X. Rows with a changed key are rare: of a large batch it is not asked for each row.
  with lease as materialized (
    select l.ctid as place, l.lo, l.hi from millrace_private.leases l
     where l.sink_no = p_sink_no and l.token >= v_token and l.token <= v_token
       and l.dense and l.remaining = l.size and l.size = cardinality(v_ids) and l.digest = hash_array_extended(v_ids, 0)
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
           or (cardinality(v_ids) <= 8
               and exists (select from millrace_private.messages n
                            where n.sink_no = p_sink_no and n.group_key2 = g.group_key and n.id > g.id offset 0))))
         || array_agg(g.group_key2) filter (where g.group_key2 is not null),
         array_agg(g.group_key) filter (where g.group_key is not null and cardinality(v_ids) > 8),
         min(g.committed_at), max(g.committed_at)
    into v_count, v_groups, v_more, v_first, v_last from gone g;
  if v_count = 0 then
    return millrace_private.acknowledge_each(p_sink_no, p_ack_ids);
  end if;
  -- For whoever asks in the same transaction: a result of acknowledge never changes. (As an
  -- expression: a query costs many times as much.)
  v_told := set_config('millrace.committed', concat_ws(' ', date_part('epoch', v_first), date_part('epoch', v_last)), true);

  if v_more is not null
     and (select true from millrace_private.messages k
           where k.sink_no = p_sink_no and k.group_key2 is not null order by k.group_key2 limit 1) then
    v_groups := v_more || v_groups;
  end if;
  if v_groups is not null then
    perform millrace_private.free_groups(p_sink_no, v_groups);
  end if;
  return v_count;
end
$$;
