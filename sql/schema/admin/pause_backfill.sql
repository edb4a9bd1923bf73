-- A page that is being read is still appended: a pause never splits one.
create or replace function millrace.pause_backfill(backfill uuid) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  update millrace_private.backfills b set state = 'paused', reason = null, remedy = null
   where b.no = millrace_private.backfill_no(backfill) and b.state in ('waiting', 'running');
  return found;
end
$$;
comment on function millrace.pause_backfill(uuid) is 'Stops a backfill after its current page. False when it was not running.';
