-- Only notices whose cause nobody can see to be fixed. The others go by themselves, and would come again.
create or replace function millrace.dismiss(sink text, code text) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_no integer := millrace_private.sink_no(sink);
  v_codes text[] := 'gap'::text || millrace_private.missed_codes() || '{invalid_utf8,values_left_out}'::text[];
begin
  if dismiss.code <> all (v_codes) then
    raise exception 'a notice % goes by itself when its cause is fixed', quote_literal(code) using errcode = 'MR400',
      hint = format('These stay until they are dismissed: %s.', array_to_string(v_codes, ', '));
  end if;
  delete from millrace_private.notices n where n.sink_no = v_no and n.code = dismiss.code;
  if not found then
    return false;
  end if;
  perform millrace_private.record_sink('dismiss', v_no, jsonb_build_object('notice', dismiss.code), null);
  return true;
end
$$;
comment on function millrace.dismiss(text, text) is
  'Takes away a sink''s notices whose cause cannot be seen to be fixed: gap, truncated, table_detached, added_late, changes_left_out, capture_switched_off, key_changed, invalid_utf8, values_left_out. False when there was none.';
