-- The health of a sink. `health` is the first reason that makes it failing or unknown, or its status when that is not active.
-- Decided here alone: the views, /healthz and the metrics say the same.
create or replace function millrace_private.sink_health(p_sink_no integer, out health text, out level text, out reasons text[])
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set enable_hashjoin = off set jit = off as $$
declare
  v_sink record;
  v_source record;
  v_lanes record;
  v_waited interval;
  v_is_open boolean;
  v_failing text[] := '{}';
  v_unknown text[] := '{}';
  v_warning text[] := '{}';
  v_noted text[] := '{}';
begin
  select s.receivable, s.status, d.no as database_no into v_sink
    from millrace_private.sinks s join millrace_private.databases d on d.id = s.database_id where s.no = p_sink_no;
  if v_sink.status <> 'active' then
    v_noted := array[v_sink.status];
  else
    v_failing := array(select b.reason from millrace_private.circuits b where b.sink_no = p_sink_no);
    v_is_open := cardinality(v_failing) > 0;
    select d.state, d.level into v_source from millrace_private.database_health(v_sink.database_no) d;
    if v_source.state in ('error', 'needs_resync') or v_source.state = 'standby' and v_source.level = 'failing' then
      v_failing := v_failing || ('source_' || v_source.state);
    elsif v_source.state = 'unknown' then
      v_unknown := v_unknown || 'source_unknown'::text;
    end if;
    if exists (select from millrace_private.delivery_states e
                where e.sink_no = p_sink_no and e.state = 'retrying' and e.stage = 'index') then
      v_failing := v_failing || 'routed_index_failing'::text;
    end if;
    select l.has_work, l.is_left into v_lanes from millrace_private.lane_health(p_sink_no) l;
    if v_lanes.has_work
       and not millrace_private.is_fresh((select b.at from millrace_private.worker_beats b order by b.seq desc limit 1)) then
      v_unknown := v_unknown || 'no_worker'::text;
    elsif v_lanes.is_left and not v_is_open then
      v_unknown := v_unknown || 'not_worked_on'::text;
    end if;
    v_waited := millrace_private.waited(p_sink_no, v_sink.database_no);
    if v_waited > interval '1 h' and v_sink.receivable
       and not exists (select from millrace_private.leases l where l.sink_no = p_sink_no and l.until > clock_timestamp())
       and coalesce((select c.at from millrace_private.cursor_log c
                      where c.sink_no = p_sink_no and c.lane = 0 order by c.seq desc limit 1), '-infinity')
           < clock_timestamp() - interval '1 h' then
      v_warning := v_warning || 'nobody_receives'::text;
    elsif v_waited > interval '5 min' then
      v_warning := v_warning || 'behind'::text;
    end if;
  end if;
  if v_sink.status <> 'disabled' then
    if exists (select from millrace_private.delivery_states e where e.sink_no = p_sink_no and e.state = 'parked') then
      v_warning := v_warning || 'parked'::text;
    end if;
    v_warning := v_warning || array(select distinct n.code from millrace_private.notices n
                                     where n.sink_no = p_sink_no and n.code <> 'no_old_values' order by 1);
    v_noted := v_noted || array(select distinct n.code from millrace_private.notices n
                                 where n.sink_no = p_sink_no and n.code = 'no_old_values');
  end if;
  select j.level, j.reasons into level, reasons
    from millrace_private.judged(v_failing, v_unknown, v_warning, v_noted) j;
  health := case when v_sink.status <> 'active' then v_sink.status
                 when level in ('failing', 'unknown') then reasons[1]
                 else 'ok' end;
end
$$;
