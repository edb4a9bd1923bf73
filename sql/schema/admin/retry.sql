-- Puts parked messages back at their old place, to be tried at once and counted anew. Returns how many.
create or replace function millrace.retry(sink text, ids bigint[]) returns integer language plpgsql set lock_timeout = '10s'
set search_path = pg_catalog, pg_temp as $$
declare
  v_no integer := millrace_private.sink_no(sink);
  v_count integer := millrace_private.retry_messages(v_no, ids);
begin
  if v_count > 0 then
    perform millrace_private.record_sink('retry', v_no, null, jsonb_build_object('messages', v_count));
  end if;
  return v_count;
end
$$;
comment on function millrace.retry(text, bigint[]) is
  'Puts parked messages back at their old place, to be tried again at once. Returns their number.';
