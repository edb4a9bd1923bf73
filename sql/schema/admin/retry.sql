-- Puts parked messages back at their old place, to be tried at once and counted anew. Returns how many.
create or replace function millrace.retry(sink text, ids bigint[]) returns integer language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_no integer := millrace_private.sink_no(sink);
  v_count integer;
begin
  perform from millrace_private.lanes l where l.sink_no = v_no order by l.lane for no key update;
  perform millrace_private.lock_consumer(v_no, 'shared');
  update millrace_private.delivery_states x
     set state = 'retrying', attempts = 0, due_at = clock_timestamp(), parked_at = null, token = null
   where x.sink_no = v_no and x.id = any (ids) and x.state = 'parked';
  get diagnostics v_count = row_count;
  if v_count > 0 then
    perform pg_notify('millrace_messages', v_no::text);
    perform millrace_private.record_sink('retry', v_no, null, jsonb_build_object('messages', v_count));
  end if;
  return v_count;
end
$$;
comment on function millrace.retry(text, bigint[]) is
  'Puts parked messages back at their old place, to be tried again at once. Returns their number.';
