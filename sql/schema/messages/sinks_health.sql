-- The health of each of these sinks. `health` is the first reason that makes it failing or unknown, or its status when that is not
-- active. Decided here alone: the views, /healthz, the metrics and the API say the same. waiting_since and oldest_committed_at: as
-- in sinks_waiting, which is read once for all. behind: its first message has waited for a minute, and in the last whole one that all
-- processes have written their counts of (within 10 s) more came than went; or it has waited for five.
create or replace function millrace_private.sinks_health(p_sinks integer[]) returns table (
  sink_no integer, health text, level text, reasons text[], waiting_since timestamptz, oldest_committed_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_mergejoin = off set jit = off set max_parallel_workers_per_gather = 0 as $$
#variable_conflict use_column
declare
  v_has_worker constant boolean :=
    millrace_private.is_fresh((select b.at from millrace_private.worker_beats b order by b.seq desc limit 1));
begin
  return query
  with source as materialized (
    select d.id, h.state, h.level
      from millrace_private.databases d
     cross join lateral millrace_private.database_health(d.no) h
     where d.id in (select s.database_id from millrace_private.sinks s where s.no = any (p_sinks) and s.status = 'active')
  ), fact as (
    select s.no, s.status, s.receivable, s.database_id, s.status = 'active' as is_active, w.has_work, w.is_left,
           clock_timestamp() - w.waiting_since as waited, w.waiting_since, w.oldest_committed_at,
           (select b.reason from millrace_private.circuits b where b.sink_no = s.no) as circuit
      from millrace_private.sinks s
      join millrace_private.sinks_waiting(p_sinks) w on w.sink_no = s.no
  ), found as (
    select f.no, f.status, f.is_active, f.waiting_since, f.oldest_committed_at,
           case when f.is_active then
             array_remove(array[
               f.circuit,
               case when o.state in ('error', 'needs_resync') or o.state = 'standby' and o.level = 'failing'
                    then 'source_' || o.state end,
               case when exists (select from millrace_private.delivery_states e
                                  where e.sink_no = f.no and e.state = 'retrying' and e.stage = 'index')
                    then 'routed_index_failing' end], null)
           else '{}' end as failing,
           case when f.is_active then
             array_remove(array[
               case when o.state = 'unknown' then 'source_unknown' end,
               case when f.has_work and not v_has_worker then 'no_worker'
                    when f.is_left and f.circuit is null then 'not_worked_on' end], null)
           else '{}' end as unknown,
           case when f.status = 'disabled' then '{}' else
             array_remove(array[
               case when not f.is_active then null
                    when f.waited > interval '1 h' and f.receivable
                         and not exists (select from millrace_private.leases l
                                          where l.sink_no = f.no and l.until > clock_timestamp())
                         and coalesce((select c.at from millrace_private.cursor_log c
                                        where c.sink_no = f.no and c.lane = 0 order by c.seq desc limit 1), '-infinity')
                             < clock_timestamp() - interval '1 h' then 'nobody_receives'
                    when f.waited > interval '5 min'
                         or f.waited > interval '1 min'
                            and exists (select from millrace_private.sink_counters c
                                         where c.sink_no = f.no and c.step = 'minute'
                                           and c.at = date_trunc('minute', clock_timestamp() - interval '15 s') - interval '1 min'
                                           and c.persisted > c.delivered) then 'behind' end,
               case when exists (select from millrace_private.delivery_states e
                                  where e.sink_no = f.no and e.state = 'parked') then 'parked' end], null)
             || array(select distinct n.code from millrace_private.notices n
                       where n.sink_no = f.no and n.code <> 'no_old_values' order by 1)
           end as warning,
           case when f.is_active then '{}' else array[f.status] end
           || case when f.status = 'disabled' then '{}' else
                array(select distinct n.code from millrace_private.notices n
                       where n.sink_no = f.no and n.code = 'no_old_values') end as noted
      from fact f
      left join source o on o.id = f.database_id
  )
  select f.no, case when not f.is_active then f.status when j.level in ('failing', 'unknown') then j.reasons[1] else 'ok' end,
         j.level, j.reasons, f.waiting_since, f.oldest_committed_at
    from found f
   cross join lateral millrace_private.judged(f.failing, f.unknown, f.warning, f.noted) j;
end
$$;
