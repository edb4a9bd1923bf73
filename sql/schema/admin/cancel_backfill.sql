-- A replay to an index that is cancelled on its way has sent old states: another one, which sends no entries, reads the
-- rows of those that it has not put right. Which these are says its position, when its last page has come.
create or replace function millrace.cancel_backfill(backfill uuid) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_done millrace_private.backfills;
begin
  update millrace_private.backfills b set state = 'cancelled', reason = null, remedy = null, ended_at = clock_timestamp()
   where b.no = millrace_private.backfill_no(backfill) and b.state in ('waiting', 'running', 'paused', 'failed')
  returning b.* into v_done;
  if not found then
    return false;
  end if;
  perform millrace_private.record_change('cancel', 'operation ' || backfill, null, null);
  if v_done.kind = 'replay' and v_done.started_at is not null and not v_done.replay ? 'after'
     and exists (select from millrace_private.sinks s where s.no = v_done.sink_no and s.replaces) then
    insert into millrace_private.backfills (sink_no, kind, table_schema, table_name, replay, rows_total)
    values (v_done.sink_no, 'replay', v_done.table_schema, v_done.table_name,
            v_done.replay || jsonb_build_object('after', v_done.id), 0);
  end if;
  return true;
end
$$;
comment on function millrace.cancel_backfill(uuid) is
  'Ends a backfill for good; what it sent stays sent. False when it had ended.';
