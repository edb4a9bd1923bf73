-- The state of a source, and its health. A state that nobody has confirmed for 15 s is unknown; but a gap stays a gap.
-- streaming, although the publication lost a table that was dropped and created again, is a state of its own: its changes do
-- not come. Nobody reads from a database that no sink wants, so it is in none.
create or replace function millrace_private.database_health(
  p_database_no integer, out state text, out reason text, out remedy text, out since timestamptz, out level text,
  out reasons text[])
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_seen timestamptz;
  v_warnings text[];
  v_tables bigint;
  v_message text;
  v_remedy text;
  v_since timestamptz;
begin
  level := 'ok';
  reasons := '{}';
  if not exists (select from millrace_private.sinks s
                   join millrace_private.databases d on d.id = s.database_id where d.no = p_database_no) then
    return;
  end if;
  select p.state, p.reason, p.remedy, p.state_since, p.warnings,
         coalesce((select b.at from millrace_private.capture_beats b
                    where b.database_no = p_database_no order by b.seq desc limit 1), p.state_since)
    into state, reason, remedy, since, v_warnings, v_seen
    from millrace_private.positions p where p.database_no = p_database_no;
  if millrace_private.is_fresh(v_seen) is not true then
    if state = 'needs_resync' then
      select j.level, j.reasons into level, reasons
        from millrace_private.judged(array[state], '{no_capture}', '{}', '{}') j;
      return;
    end if;
    reason := 'no capture process has reported since then; the last state was '
              || coalesce(state, 'none') || coalesce(' (' || reason || ')', '');
    remedy := 'bin/millrace start capture; if that is running, its log says what it does';
    state := 'unknown';
    since := v_seen;
    select j.level, j.reasons into level, reasons from millrace_private.judged('{}', '{no_capture}', '{}', '{}') j;
    return;
  end if;
  if state = 'streaming' then
    select count(distinct n.table_name), min(n.message), min(n.created_at), (array_agg(n.remedy order by n.message))[1]
      into v_tables, v_message, v_since, v_remedy
      from millrace_private.notices n
      join millrace_private.sinks s on s.no = n.sink_no
      join millrace_private.databases d on d.id = s.database_id
     where d.no = p_database_no and n.code = 'table_detached' and n.remedy like 'alter publication %';
    if v_tables > 0 then
      state := 'table_detached';
      reason := case when v_tables > 1 then format('%s; and so %s more', v_message, v_tables - 1) else v_message end;
      remedy := v_remedy;
      since := v_since;
    end if;
  end if;
  -- Somebody else on the slot for longer than a moment: then nothing is captured.
  select j.level, j.reasons into level, reasons
    from millrace_private.judged(
           case when state in ('error', 'needs_resync', 'table_detached') then array[state]
                when state = 'standby' and since < clock_timestamp() - interval '1 min' then array[state]
                else '{}' end,
           '{}',
           case when state in ('streaming', 'table_detached') then v_warnings
                when state = 'standby' and since >= clock_timestamp() - interval '1 min' then array[state]
                else '{}' end,
           '{}') j;
end
$$;
