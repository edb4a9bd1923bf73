-- Storage of one sink: its partition, its indexes, its lanes. Created standalone and then attached: attaching takes no
-- lock that an open reader could turn into a stall of capture. Does nothing for a sink that has it.
create or replace function millrace_private.add_sink_storage(p_sink_no integer) returns void language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_sink millrace_private.sinks;
  v_table text := format('messages_%s', p_sink_no);
  v_destination jsonb;
begin
  select * into strict v_sink from millrace_private.sinks s where s.no = p_sink_no;
  v_destination := v_sink.settings -> 'destination';
  if to_regclass('millrace_private.' || v_table) is null then
    execute format('create table millrace_private.%I (like millrace_private.messages including all,
                      constraint %I check (sink_no = %s))', v_table, v_table || '_sink', p_sink_no);
    execute format('create unique index %I on millrace_private.%I (lane, id)', v_table || '_id', v_table);
    if v_sink.receivable then
      execute format('create index %I on millrace_private.%I (group_key, id) where group_key is not null',
                     v_table || '_group', v_table);
    end if;
    if v_sink.ordering = 'group' then
      execute format('create index %I on millrace_private.%I (group_key2, id) where group_key2 is not null',
                     v_table || '_group2', v_table);
    end if;
    execute format('alter table millrace_private.%I set (autovacuum_vacuum_scale_factor = 0.05,
                      autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_scale_factor = 0.5)', v_table);
    execute format('alter table millrace_private.messages attach partition millrace_private.%I for values in (%s)',
                   v_table, p_sink_no);
    execute format('alter table millrace_private.%I drop constraint %I', v_table, v_table || '_sink');
  end if;
  if v_sink.receivable then
    perform millrace_private.add_locks(p_sink_no);
    insert into millrace_private.consumers as c
           (sink_no, active, visibility_timeout, max_ack_pending, max_deliver, max_per_group)
    values (p_sink_no, v_sink.status = 'active',
            (v_destination ->> 'visibility_timeout_ms')::double precision * interval '1 millisecond',
            (v_destination ->> 'max_ack_pending')::integer,
            (v_sink.settings ->> 'max_retry_count')::integer + 1,
            (v_destination ->> 'max_per_group')::integer)
    on conflict (sink_no) do update
       set active = excluded.active, visibility_timeout = excluded.visibility_timeout,
           max_ack_pending = excluded.max_ack_pending, max_deliver = excluded.max_deliver,
           max_per_group = excluded.max_per_group
     where (c.active, c.visibility_timeout, c.max_ack_pending, c.max_deliver, c.max_per_group) is distinct from
           (excluded.active, excluded.visibility_timeout, excluded.max_ack_pending, excluded.max_deliver,
            excluded.max_per_group);
  end if;
  -- Push sinks have lanes 0 .. lanes - 1; the shaping lane of a pull consumer is lane 1.
  insert into millrace_private.lanes (sink_no, lane)
  select p_sink_no, n from generate_series(0, v_sink.lanes - 1) n where not v_sink.receivable
  union all
  select p_sink_no, 1 where v_sink.receivable and v_sink.lanes > 0
  on conflict do nothing;
end
$$;
