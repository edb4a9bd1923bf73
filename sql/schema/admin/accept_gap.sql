-- After a gap (database_status says needs_resync), captured again from here. What the database was is kept (a publication
-- that was made again matters to capture); only that it is known is taken back.
create or replace function millrace.accept_gap(database text) returns integer language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_no integer := millrace_private.database_no(database);
  v_epoch integer := millrace_private.begin_epoch(v_no);
begin
  -- Whoever accepts the gap brings the sinks up to date, with this too.
  delete from millrace_private.notices n
   using millrace_private.sinks s, millrace_private.databases d
   where s.no = n.sink_no and d.id = s.database_id and d.no = v_no
     and n.code = any (millrace_private.missed_codes() || 'gap'::text);
  perform millrace_private.record_change('accept_gap', 'database ' || d.name, null, jsonb_build_object('epoch', v_epoch))
    from millrace_private.databases d where d.no = v_no;
  return v_epoch;
end
$$;
comment on function millrace.accept_gap(text) is
  'Starts capture of a database again after a gap, in a new epoch (returned), and sends nothing: millrace.resync also sends all rows. A slot that is gone or lost is created again when slot.create_if_not_exists is set.';
