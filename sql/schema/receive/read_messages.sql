-- The messages of a lease as one text: JSON objects with their ack_id, a comma between them, in order. p_nested: the
-- message is a member "data" (so it always is when it was shaped). It stops before the message that would exceed
-- p_bytes, but not before the first; messages after last_id are not in the text. Rows of a lease cannot change.
create or replace function millrace_private.read_messages(
  p_sink_no integer, p_token text, p_ids bigint[], p_nested boolean, p_bytes bigint,
  out messages text, out count integer, out last_id bigint)
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set max_parallel_workers_per_gather = 0
set search_path = pg_catalog, pg_temp as $$
declare
  v_ids bigint[] := p_ids;
  v_found bigint[];
  v_bytes bigint;
  v_first integer;
  v_last integer;
  v_sink text := (select s.metadata from millrace_private.sinks s where s.no = p_sink_no);
  v_table text;
begin
  -- The sizes first: a batch of large rows must fill nobody's memory. Nearly always a batch is every row between its first
  -- and its last, and most often of one table: then its rows are read by range, and nothing is looked up for each.
  select array_agg(m.id), sum(m.bytes), min(m.source_table), max(m.source_table)
    into v_found, v_bytes, v_first, v_last
    from (select o.id, o.source_table,
                 octet_length(o.record) + coalesce(octet_length(o.changes), 0) + coalesce(octet_length(o.payload), 0)
                   as bytes
            from millrace_private.messages o
           where o.sink_no = p_sink_no and o.lane = 0
             and o.id >= p_ids[1] and o.id <= p_ids[cardinality(p_ids)]
           order by o.id limit cardinality(p_ids) + 1) m;
  if v_found = p_ids and v_bytes <= p_bytes then
    if v_first = v_last then
      select t.metadata into v_table from millrace_private.source_tables t where t.no = v_first;
    end if;
    select string_agg('{"ack_id":"' || p_token || '-' || m.id || '",' || m.body || '}', ','), count(*), max(m.id)
      into messages, count, last_id
      from (select o.id,
                   case when p_nested or o.payload is not null
                        then '"data":' || millrace_private.message_text(o, coalesce(v_table,
                               (select t.metadata from millrace_private.source_tables t where t.no = o.source_table)), v_sink)
                        else millrace_private.message_members(o, coalesce(v_table,
                               (select t.metadata from millrace_private.source_tables t where t.no = o.source_table)), v_sink)
                   end as body
              from millrace_private.messages o
             where o.sink_no = p_sink_no and o.lane = 0
               and o.id >= p_ids[1] and o.id <= p_ids[cardinality(p_ids)]
             order by o.id) m;
    return;
  end if;
  if cardinality(p_ids) > 1 and (v_found = p_ids or (
      select sum(m.bytes)
        from unnest(p_ids) i (id)
       cross join lateral (select octet_length(o.record) + coalesce(octet_length(o.changes), 0)
                                  + coalesce(octet_length(o.payload), 0) as bytes
                             from millrace_private.messages o
                            where o.sink_no = p_sink_no and o.lane = 0 and o.id = i.id limit 1) m) > p_bytes) then
    select array_agg(r.id) into v_ids
      from (select i.id, i.place, sum(m.bytes) over (order by i.place) as bytes
              from unnest(p_ids) with ordinality i (id, place)
             cross join lateral (select octet_length(o.record) + coalesce(octet_length(o.changes), 0)
                                        + coalesce(octet_length(o.payload), 0) as bytes
                                   from millrace_private.messages o
                                  where o.sink_no = p_sink_no and o.lane = 0 and o.id = i.id limit 1) m) r
     where r.bytes <= p_bytes or r.place = 1;
  end if;
  select string_agg('{"ack_id":"' || p_token || '-' || i.id || '",' || m.body || '}', ',' order by i.id),
         count(*), max(i.id)
    into messages, count, last_id
    from unnest(v_ids) i (id)
   cross join lateral (select case when p_nested or o.payload is not null
                                   then '"data":' || millrace_private.message_text(o, t.metadata, s.metadata)
                                   else millrace_private.message_members(o, t.metadata, s.metadata) end as body
                         from millrace_private.messages o
                         join millrace_private.source_tables t on t.no = o.source_table
                         join millrace_private.sinks s on s.no = o.sink_no
                        where o.sink_no = p_sink_no and o.lane = 0 and o.id = i.id limit 1) m;
end
$$;
