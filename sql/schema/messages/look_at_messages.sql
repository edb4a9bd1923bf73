-- As look_at_states, of all messages of a sink: of the lanes that it has. What is leased or held has been passed by a receive, or has
-- a row that says so.
create or replace function millrace_private.look_at_messages(
  p_sink_no integer, p_begin bigint, p_looked integer, p_is_newest boolean, p_state text, p_filter jsonb)
returns table (id bigint, lane smallint, place bigint, fits boolean)
language plpgsql stable rows 10
set plan_cache_mode = force_custom_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off set max_parallel_workers_per_gather = 0
set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_tables constant integer[] := array(select t.no from millrace_private.source_tables t
                                        where t.schema_name || '.' || t.table_name = p_filter ->> 'table');
  v_any_table constant boolean := p_filter ->> 'table' is null;
  v_key constant text := millrace_private.key_pattern(p_filter ->> 'key');
  v_action constant text := p_filter ->> 'action';
  v_since constant timestamptz := p_filter ->> 'since';
  v_until constant timestamptz := p_filter ->> 'until';
  v_error constant text := p_filter ->> 'error';
  v_group constant text := p_filter ->> 'group';
  -- What nothing is known to be wrong with has the error of the circuit.
  v_is_of_circuit constant boolean := coalesce(
    (select (v_error is null or position(lower(v_error) in lower(c.error)) > 0)
            and (v_group is null or millrace_private.error_group(i.mark, null, c.error) = v_group)
       from millrace_private.circuits c cross join millrace_private.installation i where c.sink_no = p_sink_no),
    v_error is null and v_group is null);
  v_passed constant bigint := case when p_state in ('leased', 'held') then coalesce(
    (select c.id from millrace_private.cursor_log c join millrace_private.sinks s on s.no = c.sink_no
      where c.sink_no = p_sink_no and c.lane = 0 and s.receivable order by c.seq desc limit 1), 0) end;
  v_last constant bigint := case when v_passed is null then 9223372036854775806
    else greatest(v_passed, (select max(x.id) from millrace_private.delivery_states x where x.sink_no = p_sink_no)) end;
begin
  return query
  with looked as (
    select m.*, row_number() over (order by m.rank) as place, lead(m.rank) over (order by m.rank) is null as is_last
      from (select e.*
              from (select k.lane from millrace_private.lanes k where k.sink_no = p_sink_no union select 0::smallint) l
             cross join lateral (
               (select o.id, o.lane, o.source_table, o.record_pks, o.action, o.committed_at, o.id as rank
                  from millrace_private.messages o
                 where not p_is_newest and o.sink_no = p_sink_no and o.lane = l.lane and o.id > p_begin and o.id <= v_last
                 order by o.id limit p_looked)
               union all
               (select o.id, o.lane, o.source_table, o.record_pks, o.action, o.committed_at, -o.id
                  from millrace_private.messages o
                 where p_is_newest and o.sink_no = p_sink_no and o.lane = l.lane and o.id < least(p_begin, v_last + 1)
                 order by o.id desc limit p_looked)) e
             order by e.rank limit p_looked) m
  ), asked as (
    select k.id, k.lane, k.place, k.is_last,
           (v_any_table or k.source_table = any (v_tables)) and (v_key is null or k.record_pks like v_key)
           and (v_action is null or k.action = v_action) and (v_since is null or k.committed_at >= v_since)
           and (v_until is null or k.committed_at < v_until)
           and (v_is_of_circuit and (v_passed is null or k.lane = 0 and k.id <= v_passed)
                or exists (select from millrace_private.delivery_states x where x.sink_no = p_sink_no and x.id = k.id)) as fits
      from looked k
  )
  select a.id, a.lane, a.place, a.fits from asked a where a.fits or a.is_last;
end
$$;
