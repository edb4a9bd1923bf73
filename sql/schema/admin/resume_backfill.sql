-- It goes on where it stood: the place of the next page is kept while it is paused, and after it failed.
create or replace function millrace.resume_backfill(backfill uuid) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  update millrace_private.backfills b
     set state = 'waiting', reason = null, remedy = null, moved_at = null, ended_at = null
   where b.no = millrace_private.backfill_no(backfill) and b.state in ('paused', 'failed');
  if not found then
    return false;
  end if;
  perform millrace_private.record_change('resume', 'operation ' || backfill, null, null);
  return true;
exception when unique_violation then
  raise exception 'another backfill of this table runs' using errcode = 'MR409',
    hint = 'select * from millrace.backfill_status';
end
$$;
comment on function millrace.resume_backfill(uuid) is
  'Continues a paused or failed backfill where it stopped. False when it was neither.';
