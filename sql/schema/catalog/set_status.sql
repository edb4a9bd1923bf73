-- Of a disabled sink too: it kept no messages, and has no storage until then. Returns whether it changed anything. Why is said by
-- the setting millrace.reason, if it is, and kept with the sink until its status changes again.
create or replace function millrace_private.set_status(p_sink text, p_status text) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_no integer := millrace_private.sink_no(p_sink);
  v_before text;
  v_reason constant text := left(nullif(current_setting('millrace.reason', true), ''), 1000);
begin
  select s.status into v_before from millrace_private.sinks s where s.no = v_no for no key update;
  update millrace_private.sinks s
     set status = p_status, settings = jsonb_set(s.settings, '{status}', to_jsonb(p_status)), status_by = 'operator',
         status_reason = v_reason, updated_at = now()
   where s.no = v_no and s.status <> p_status;
  if not found then
    return false;
  end if;
  perform millrace_private.add_sink_storage(v_no);
  perform millrace_private.record_sink(
    case p_status when 'active' then 'resume' when 'paused' then 'pause' else 'disable' end, v_no,
    jsonb_build_object('status', v_before),
    jsonb_strip_nulls(jsonb_build_object('status', p_status, 'reason', v_reason)));
  perform millrace_private.publish_catalog();
  perform pg_notify('millrace_messages', v_no::text);
  return true;
end
$$;
