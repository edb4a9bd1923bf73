-- After a gap: capture starts again, and the rows of every table are sent to every sink that takes rows, in one call. What it
-- sends begins behind the new slot, for backfills run beside a stream only: no change is lost between the two.
create or replace function millrace.resync(database text, force boolean default false) returns setof uuid language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_no integer := millrace_private.database_no(database);
  v_state text;
  v_sink record;
  v_id uuid;
begin
  select p.state into v_state from millrace_private.positions p where p.database_no = v_no for update;
  if v_state is null then
    raise exception 'no sink reads from database %', quote_literal(database) using errcode = 'MR400',
      hint = 'Declare a sink of it first.';
  end if;
  if v_state <> 'needs_resync' and not coalesce(force, false) then
    raise exception 'database % needs no resync: it is %', quote_literal(database), v_state using errcode = 'MR409',
      hint = format('select * from millrace.database_status; if all rows are to be sent all the same: select millrace.resync(%L, force => true)', database);
  end if;
  perform millrace_private.begin_epoch(v_no);
  perform millrace_private.record_change('resync', 'database ' || d.name, jsonb_build_object('state', v_state), null)
    from millrace_private.databases d where d.no = v_no;
  for v_sink in
    select s.no, s.name, s.takes_rows, s.readable from millrace_private.sinks s
      join millrace_private.databases d on d.id = s.database_id
     where d.no = v_no and s.status <> 'disabled' order by s.no
  loop
    if not v_sink.readable then
      insert into millrace_private.notices as n (sink_no, code, table_name, message, remedy)
      values (v_sink.no, 'gap', '',
              case
                when not v_sink.takes_rows then 'changes were missed before ' || to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') || ': the change table has no entries of them'
                else 'changes were missed before ' || to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') || ': all rows are sent again, but no message tells which were deleted meanwhile' end,
              format('select millrace.dismiss(%L, ''gap'')', v_sink.name))
      on conflict (sink_no, code, table_name) do update
        set message = excluded.message, remedy = excluded.remedy, created_at = clock_timestamp();
    end if;
    -- Of one that was cancelled: this one makes it good.
    delete from millrace_private.notices n where n.sink_no = v_sink.no and n.code = 'gap' and v_sink.readable;
    continue when not v_sink.takes_rows;
    -- What was read before the gap may have changed in it.
    update millrace_private.backfills b
       set state = 'cancelled', reason = 'a resync sends all rows', remedy = null, ended_at = clock_timestamp()
     where b.sink_no = v_sink.no and b.kind in ('all', 'table') and b.state in ('waiting', 'running', 'paused', 'failed');
    insert into millrace_private.backfills (sink_no, kind, resync) values (v_sink.no, 'all', true) returning id into v_id;
    return next v_id;
  end loop;
end
$$;
comment on function millrace.resync(text, boolean) is
  'Repairs a database that needs a resync: capture starts again in a new epoch, and all rows are sent to each of its sinks but change retentions. Returns the ids of these backfills. Documents of rows that were deleted meanwhile are removed by bin/millrace verify SINK --repair.';
