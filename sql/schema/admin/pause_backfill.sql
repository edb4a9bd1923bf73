-- A page that is being read is still appended: a pause never splits one.
create or replace function millrace.pause_backfill(backfill uuid) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  update millrace_private.backfills b set state = 'paused', reason = null, remedy = null
   where b.no = millrace_private.backfill_no(backfill) and b.state in ('waiting', 'running');
  if not found then
    return false;
  end if;
  perform millrace_private.record_change('pause', 'operation ' || backfill, null, null);
  return true;
end
$$;
comment on function millrace.pause_backfill(uuid) is 'Stops a backfill after its current page. False when it was not running.';
