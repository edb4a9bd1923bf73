-- Asks now what would be asked within the half minute. Whoever has the lane looks at the circuit when it is told.
create or replace function millrace.probe(sink text) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_no integer := millrace_private.sink_no(sink);
  v_status text;
begin
  select s.status into v_status from millrace_private.sinks s where s.no = v_no;
  if v_status <> 'active' then
    raise exception 'sink % is %: its destination is not asked', quote_literal(sink), v_status using errcode = 'MR400',
      hint = format('select millrace.resume(%L)', sink);
  end if;
  update millrace_private.circuits c set probe_at = clock_timestamp() where c.sink_no = v_no;
  if not found then
    return false;
  end if;
  perform millrace_private.record_sink('probe', v_no, null, null);
  perform pg_notify('millrace_messages', v_no::text);
  return true;
end
$$;
comment on function millrace.probe(text) is
  'Has the destination of a sink that cannot be delivered to asked now whether it can. False when nothing is known to be wrong with it.';
