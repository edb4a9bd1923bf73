-- For psql, in one transaction: whoever has not committed holds the consumer's turn. HTTP leases and reads in two steps (see
-- receive_batches). Rows are found by index, whatever the statistics say.
create or replace function millrace.receive(
  consumer text, batch_size integer default 1, visibility_timeout interval default null)
returns table (ack_id text, message json) language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set max_parallel_workers_per_gather = 0
set search_path = pg_catalog, pg_temp as $$
declare
  v_no integer;
  v_lease record;
  v_token text;
  v_sink text;
  v_lo bigint;
  v_hi bigint;
begin
  select s.no, s.metadata into v_no, v_sink from millrace_private.sinks s where s.receivable and s.name = consumer;
  if not found then
    v_no := millrace_private.consumer_no(consumer);
    select s.metadata into v_sink from millrace_private.sinks s where s.no = v_no;
  end if;
  if batch_size is null or batch_size < 1 or batch_size > 1000 then
    raise exception 'batch_size must be from 1 to 1000' using errcode = '22023';
  end if;
  if visibility_timeout < interval '500 ms' or visibility_timeout > interval '12 h' then
    raise exception 'visibility_timeout must be from 500 milliseconds to 12 hours' using errcode = '22023';
  end if;
  v_lease := millrace_private.lease_batches(v_no, array[batch_size], visibility_timeout, 9223372036854775807);
  v_token := v_lease.tokens[1];
  if v_token is null then
    return;
  end if;
  v_lo := v_lease.ids[1];
  v_hi := v_lease.ids[cardinality(v_lease.ids)];
  -- Nearly always every row between the first and the last: then they are read by range.
  if v_lease.table_no is not null then
    return query
      select v_token || '-' || o.id,
             millrace_private.message_text(o, (select t.metadata from millrace_private.source_tables t
                                                where t.no = v_lease.table_no), v_sink)::json
        from millrace_private.messages o
       where o.sink_no = v_no and o.lane = 0 and o.id >= v_lo and o.id <= v_hi
       order by o.id;
    return;
  elsif v_lease.bytes is not null or v_lo = v_hi then
    return query
      select v_token || '-' || o.id,
             millrace_private.message_text(o, (select t.metadata from millrace_private.source_tables t
                                                where t.no = o.source_table), v_sink)::json
        from millrace_private.messages o
       where o.sink_no = v_no and o.lane = 0 and o.id >= v_lo and o.id <= v_hi
       order by o.id;
    return;
  end if;
  return query
    select v_token || '-' || i.id, m.message::json
      from unnest(v_lease.ids) i (id)
     cross join lateral (select millrace_private.message_text(o, t.metadata, v_sink) as message
                           from millrace_private.messages o
                           join millrace_private.source_tables t on t.no = o.source_table
                          where o.sink_no = v_no and o.lane = 0 and o.id = i.id limit 1) m
     order by i.id;
end
$$;
comment on function millrace.receive(text, integer, interval) is
  'Leases messages of a pull consumer, in order per row. Acknowledge them with millrace.ack; otherwise they come again after visibility_timeout.';
