-- Takes ids out of leases. p_what: ack | nack | extend | release (given back untouched: no attempt counted). Returns to how
-- many it applied; an id that its token holds no longer is left out.
--
-- Locks: X shared, then each lease row, then delivery states, then groups: see lease_next. Of many tokens that nobody knows, none
-- is looked at twice.
create or replace function millrace_private.answer_ids(
  p_sink_no integer, p_what text, p_ack_ids text[], p_delay interval) returns integer
language plpgsql set lock_timeout = '10s'
set search_path = pg_catalog, pg_temp as $$
declare
  t record;
  v_lease record;
  v_held boolean;
  v_now timestamptz;
  v_count integer := 0;
  v_taken integer;
  v_groups bigint[] := '{}';
  v_more bigint[];
  v_max_deliver integer;
  v_token text;
  v_text text;
  v_rest text;
  v_ids bigint[];
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    perform millrace_private.require_read_committed();
  end if;
  if not millrace_private.lock_consumer(p_sink_no, 'shared') then
    return 0;
  end if;
  -- Until the end of the transaction: see lock_consumer.
  perform set_config('millrace.answered', 'yes', true);
  -- Messages and their states are found by `id = any (...)` and by ranges from subqueries, never by a join: with statistics of
  -- a queue that was empty, a join may well read all of it and throw away what does not match.
  if p_what = 'ack' then
    v_token := left(p_ack_ids[1], 32);
    v_text := array_to_string(p_ack_ids, ',');
    v_rest := replace(v_text, v_token || '-', '');
    if octet_length(v_text) - octet_length(v_rest) = 33 * cardinality(p_ack_ids)
       and v_rest ~ '^[0-9]{1,18}(,[0-9]{1,18})*$'
       and octet_length(v_rest) - octet_length(replace(v_rest, ',', '')) = cardinality(p_ack_ids) - 1 then
      v_ids := ('{' || v_rest || '}')::bigint[];
      -- The whole batch, untouched, as it nearly always is: by range. (A row that was shaped late may have come into the
      -- range; it has a state then.) Who took something out of it meanwhile has changed the lease row, which is looked at
      -- again when its lock is had. Then the groups of which a row is left: nobody can pass one while we hold X.
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
        returning m.id, m.group_key, m.group_key2
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
             array_agg(g.group_key) filter (where g.group_key is not null and cardinality(v_ids) > 8)
        into v_count, v_groups, v_more from gone g;
      if v_count > 0 then
        -- As in lease_next: of a large batch it is asked for all rows at once whether any has a changed key.
        if v_more is not null
           and (select true from millrace_private.messages k
                 where k.sink_no = p_sink_no and k.group_key2 is not null order by k.group_key2 limit 1) then
          v_groups := v_more || v_groups;
        end if;
        if v_groups is not null then
          perform millrace_private.free_groups(p_sink_no, v_groups);
        end if;
        return v_count;
      end if;
      v_groups := '{}';
    end if;
  end if;
  v_now := clock_timestamp();
  if p_what = 'nack' then
    select c.max_deliver into v_max_deliver from millrace_private.consumers c where c.sink_no = p_sink_no;
  end if;
  for t in
    select a.token, a.ids
      from millrace_private.parse_ack_ids(p_ack_ids) a
     where exists (select from millrace_private.leases l where l.sink_no = p_sink_no and l.token = a.token offset 0)
        or exists (select from millrace_private.delivery_states x
                    where x.sink_no = p_sink_no and x.id = any (a.ids) and x.token = a.token offset 0)
  loop
    -- Locked, so its place stays until we move it.
    select l.ctid as place, l.lo, l.hi, l.size, l.remaining, l.dense, l.ids, l.digest into v_lease
      from millrace_private.leases l
     where l.sink_no = p_sink_no and l.token >= t.token and l.token <= t.token
     order by l.token limit 1 for update;
    v_held := found;

    if p_what = 'ack' and v_held and v_lease.dense and v_lease.remaining = v_lease.size
       and cardinality(t.ids) = v_lease.size and hash_array_extended(t.ids, 0) = v_lease.digest
       and (select true from millrace_private.delivery_states x
             where x.sink_no = p_sink_no and x.id > v_lease.lo and x.id <= v_lease.hi
             order by x.id limit 1) is null then
      -- The whole batch, untouched: by range. (A row that was shaped late may have come into the range; it has a state then.)
      with gone as (
        delete from millrace_private.messages m
         where m.sink_no = p_sink_no and m.lane = 0 and m.id > v_lease.lo and m.id <= v_lease.hi
        returning m.group_key, m.group_key2
      ), over as (
        delete from millrace_private.leases l where l.ctid = v_lease.place
      )
      select count(*), array_agg(g.group_key) filter (where g.group_key is not null)
             || coalesce(array_agg(g.group_key2) filter (where g.group_key2 is not null), '{}')
        into v_taken, v_more from gone g;
      v_count := v_count + v_taken;
      v_groups := v_groups || v_more;
      continue;
    end if;

    if v_held then
      -- Those still on the straight path: in the lease, and without a state.
      if p_what = 'ack' then
        with gone as (
          delete from millrace_private.messages m
           where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (t.ids)
             and m.id > v_lease.lo and m.id <= v_lease.hi and (v_lease.dense or m.id = any (v_lease.ids))
             and (select true from millrace_private.delivery_states x
                   where x.sink_no = p_sink_no and x.id = m.id order by x.id limit 1) is null
          returning m.group_key, m.group_key2
        )
        select count(*), array_agg(g.group_key) filter (where g.group_key is not null)
               || coalesce(array_agg(g.group_key2) filter (where g.group_key2 is not null), '{}')
          into v_taken, v_more from gone g;
        v_groups := v_groups || v_more;
      else
        insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, due_at, token, stage, error)
        select p_sink_no, m.id, 0, m.group_key,
               case p_what when 'nack' then 'retrying' when 'extend' then 'leased' else 'waiting' end,
               case p_what when 'release' then 0 else 1 end,
               v_now + p_delay, t.token,
               case p_what when 'nack' then 'receive' end,
               case p_what when 'nack' then 'given back by the client' end
          from millrace_private.messages m
         where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (t.ids)
           and m.id > v_lease.lo and m.id <= v_lease.hi and (v_lease.dense or m.id = any (v_lease.ids))
            on conflict (sink_no, id) do nothing;
        get diagnostics v_taken = row_count;
      end if;
      if v_taken > 0 then
        v_count := v_count + v_taken;
        if v_taken >= v_lease.remaining then
          delete from millrace_private.leases l where l.ctid = v_lease.place;
        else
          update millrace_private.leases l set remaining = l.remaining - v_taken
           where l.ctid = v_lease.place;
        end if;
      end if;
    end if;

    -- States of messages that this token was the last to hold. Those that the statement above made are among them: left out by
    -- their state (ack deletes none of them, they have no row any more).
    if p_what = 'ack' then
      with settled as (
        delete from millrace_private.delivery_states x
         where x.sink_no = p_sink_no and x.id = any (t.ids) and x.lane = 0 and x.token = t.token
        returning x.id
      ), gone as (
        delete from millrace_private.messages m
         where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (array(select s.id from settled s))
        returning m.group_key, m.group_key2
      )
      select count(*), array_agg(g.group_key) filter (where g.group_key is not null)
             || coalesce(array_agg(g.group_key2) filter (where g.group_key2 is not null), '{}')
        into v_taken, v_more from gone g;
      v_groups := v_groups || v_more;
    elsif not v_held or v_taken < cardinality(t.ids) then
      update millrace_private.delivery_states x
         set state = case p_what when 'nack' then 'retrying' when 'extend' then 'leased' else 'waiting' end,
             attempts = x.attempts - (p_what = 'release')::integer,
             due_at = v_now + p_delay,
             stage = case p_what when 'nack' then 'receive' end,
             error = case p_what when 'nack' then 'given back by the client' end
       where x.sink_no = p_sink_no and x.id = any (t.ids) and x.lane = 0 and x.token = t.token
         and x.state = 'leased' and x.due_at is distinct from v_now + p_delay;
      get diagnostics v_taken = row_count;
    else
      v_taken := 0;
    end if;
    v_count := v_count + v_taken;

    if v_max_deliver is not null then
      with parked as (
        update millrace_private.delivery_states x
           set state = 'parked', due_at = null, parked_at = v_now
         where x.sink_no = p_sink_no and x.id = any (t.ids) and x.lane = 0 and x.token = t.token
           and x.state = 'retrying' and x.attempts >= v_max_deliver
        returning x.id
      )
      select array_agg(g.group_key) filter (where g.group_key is not null) into v_more
        from millrace_private.messages m
       cross join lateral unnest(array[m.group_key, m.group_key2]) g (group_key)
       where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (array(select p.id from parked p));
      v_groups := v_groups || v_more;
    end if;
  end loop;
  if cardinality(v_groups) > 0 then
    perform millrace_private.free_groups(p_sink_no, v_groups);
  end if;
  return v_count;
end
$$;
