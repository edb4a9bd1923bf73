-- How many messages of a sink are not settled, parked ones excluded: counted up to p_most, beyond that estimated. Rows are looked
-- for only where there can be any, for deleted ones are in the way as long as somebody keeps a snapshot open: above the place of
-- each lane, and in what a receive has passed, where every message has a lease or a state, or is behind one of its group that has.
-- Other lanes leave only messages with a state behind.
-- Postgres counts a table's rows itself, as they come and go; after a crash or a failover of the server it has forgotten, until
-- the next vacuum or analyze: then the table's size stands in.
create or replace function millrace_private.count_some(
  p_sink_no integer, p_most integer, out pending bigint, out is_estimate boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off set max_parallel_workers_per_gather = 0 as $$
declare
  v_lane smallint;
  v_passed bigint;
  v_above bigint;
  v_below bigint;
  v_parked bigint;
begin
  pending := 0;
  is_estimate := false;
  for v_lane, v_passed in
    select l.lane, coalesce((select c.id from millrace_private.cursor_log c
                              where c.sink_no = p_sink_no and c.lane = l.lane order by c.seq desc limit 1), 0)
      from (select k.lane from millrace_private.lanes k where k.sink_no = p_sink_no union select 0::smallint) l
  loop
    select count(*) into v_above
      from (select from millrace_private.messages m
             where m.sink_no = p_sink_no and m.lane = v_lane and m.id > v_passed order by m.id limit p_most + 1) f;
    select count(*) into v_parked from millrace_private.delivery_states e
     where e.sink_no = p_sink_no and e.lane = v_lane and e.id > v_passed and e.state = 'parked';
    if v_lane = 0 and exists (select from millrace_private.consumers c where c.sink_no = p_sink_no) then
      select count(*) into v_below
        from (select from millrace_private.messages m
               where m.sink_no = p_sink_no and m.lane = v_lane and m.id <= v_passed
                 and m.id >= least((select e.id from millrace_private.delivery_states e
                                     where e.sink_no = p_sink_no and e.state <> 'parked' order by e.id limit 1),
                                   (select r.lo + 1 from millrace_private.leases r
                                     where r.sink_no = p_sink_no order by r.hi limit 1))
                 and not exists (select from millrace_private.parked(p_sink_no, m.id) offset 0)
               order by m.id limit p_most + 1) f;
    else
      select count(*) into v_below from millrace_private.delivery_states e
       where e.sink_no = p_sink_no and e.lane = v_lane and e.id <= v_passed and e.state <> 'parked';
    end if;
    pending := pending + greatest(v_above - v_parked, 0) + v_below;
    is_estimate := pending > p_most or v_above > p_most;
    exit when is_estimate;
  end loop;
  if is_estimate then
    select greatest(pending,
                    case when pg_catalog.pg_stat_get_live_tuples(r.oid) > p_most
                         then pg_catalog.pg_stat_get_live_tuples(r.oid)
                         else (case when r.reltuples >= 0 and r.relpages > 0 then r.reltuples / r.relpages else 10 end
                               * pg_catalog.pg_relation_size(r.oid) / current_setting('block_size')::integer)::bigint end
                    - (select count(*) from millrace_private.delivery_states e
                        where e.sink_no = p_sink_no and e.state = 'parked'))
      into pending
      from pg_catalog.pg_class r where r.oid = to_regclass('millrace_private.messages_' || p_sink_no);
  end if;
end
$$;
