-- After a gap: captured again from here. Fences whoever still streams. Where the new epoch goes on in the history of the old
-- one, nothing is captured twice: what the source was is kept, unless that history is over.
create or replace function millrace_private.begin_epoch(p_database_no integer) returns integer language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_epoch integer;
begin
  perform millrace_private.limit_idling();
  update millrace_private.positions p
     set epoch = p.epoch + 1, generation = p.generation + 1, system_identifier = null,
         left_system = case when p.state <> 'needs_resync' or p.reason !~ '(restored|promoted|another database)'
                            then coalesce(p.system_identifier, p.left_system) end,
         state = 'starting', reason = null, remedy = null, state_since = clock_timestamp()
   where p.database_no = p_database_no returning p.epoch into v_epoch;
  perform pg_notify('millrace_catalog', '');
  return v_epoch;
end
$$;
