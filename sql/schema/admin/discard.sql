-- Deletes messages that failed: parked, backing off or held. Returns how many.
create or replace function millrace.discard(sink text, ids bigint[]) returns integer language plpgsql set lock_timeout = '10s'
set search_path = pg_catalog, pg_temp as $$
declare
  v_no integer := millrace_private.sink_no(sink);
  v_count integer := millrace_private.discard_messages(v_no, ids);
begin
  if v_count > 0 then
    perform millrace_private.record_sink('discard', v_no, jsonb_build_object('messages', v_count), null);
  end if;
  return v_count;
end
$$;
comment on function millrace.discard(text, bigint[]) is
  'Deletes messages that failed: parked, backing off or held. Returns their number. They are gone for good.';
