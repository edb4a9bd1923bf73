-- What the database was is kept (a publication that was made again matters to capture); only that it is known is taken back.
create or replace function millrace.accept_gap(database text) returns integer language plpgsql as $$
declare
  v_no integer;
  v_epoch integer;
begin
  select d.no into v_no from millrace_private.databases d where d.name = database or d.id::text = database;
  if not found then
    raise exception 'there is no database of this name or id' using errcode = 'MR404',
      hint = 'select database_name from millrace.database_status';
  end if;
  update millrace_private.positions p
     set epoch = p.epoch + 1, generation = p.generation + 1, system_identifier = null,
         state = 'starting', reason = null, remedy = null, state_since = clock_timestamp()
   where p.database_no = v_no returning p.epoch into v_epoch;
  -- Whoever accepts the gap brings the sinks up to date, with this too.
  delete from millrace_private.notices n
   using millrace_private.sinks s, millrace_private.databases d
   where s.no = n.sink_no and d.id = s.database_id and d.no = v_no
     and n.code in ('truncated', 'table_detached', 'added_late');
  perform pg_notify('millrace_catalog', '');
  return v_epoch;
end
$$;
comment on function millrace.accept_gap(text) is
  'Starts capture of a database again after a gap, in a new epoch (returned). A slot that is gone or lost is made anew when slot.create_if_not_exists is set.';
