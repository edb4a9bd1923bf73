-- Of the messages of a sink that left the straight path, in one of these states (null: any), by id behind p_begin, or before it with the
-- newest first: p_looked are looked at. Returns those that a filter, of the words of the management API, lets pass, and the last one
-- whether it does or not, each with its place among all of them. What passes is to be compared with the filter once more.
-- One whose state tells nothing of its message is looked up: see migration 0014. rows 10: what passes is found by index then.
create or replace function millrace_private.look_at_states(
  p_sink_no integer, p_begin bigint, p_looked integer, p_is_newest boolean, p_states text[], p_filter jsonb)
returns table (id bigint, lane smallint, place bigint, fits boolean)
language plpgsql stable rows 10
set plan_cache_mode = force_custom_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off set max_parallel_workers_per_gather = 0
set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_error constant text := lower(p_filter ->> 'error');
  v_group constant text := p_filter ->> 'group';
  v_tables constant integer[] := array(select t.no from millrace_private.source_tables t
                                        where t.schema_name || '.' || t.table_name = p_filter ->> 'table');
  v_any_table constant boolean := p_filter ->> 'table' is null;
  v_key constant text := millrace_private.key_pattern(p_filter ->> 'key');
  v_action constant "char" := (p_filter ->> 'action')::"char";
  v_since constant timestamptz := p_filter ->> 'since';
  v_until constant timestamptz := p_filter ->> 'until';
  v_is_alone constant boolean := v_any_table and v_key is null and v_action is null and v_since is null and v_until is null;
  v_circuit constant text := (select c.error from millrace_private.circuits c where c.sink_no = p_sink_no);
  v_mark constant uuid := (select i.mark from millrace_private.installation i);
begin
  return query
  with looked as (
    select e.*, row_number() over (order by e.rank) as place, lead(e.rank) over (order by e.rank) is null as is_last
      from ((select x.*, x.id as rank
               from millrace_private.delivery_states x
              where not p_is_newest and x.sink_no = p_sink_no and x.id > p_begin and (p_states is null or x.state = any (p_states))
              order by x.id limit p_looked)
             union all
            (select x.*, -x.id
               from millrace_private.delivery_states x
              where p_is_newest and x.sink_no = p_sink_no and x.id < p_begin and (p_states is null or x.state = any (p_states))
              order by x.id desc limit p_looked)) e
  ), asked as (
    select k.id, k.lane, k.place, k.is_last,
           (v_error is null or position(v_error in lower(coalesce(k.error, v_circuit))) > 0)
           and (v_is_alone
                or case when k.source_table is not null then
                     (v_any_table or k.source_table = any (v_tables)) and (v_key is null or k.record_pks like v_key)
                     and (v_action is null or k.action = v_action) and (v_since is null or k.committed_at >= v_since)
                     and (v_until is null or k.committed_at < v_until)
                   else exists (select from millrace_private.messages m
                                 where m.sink_no = p_sink_no and m.lane = k.lane and m.id = k.id
                                   and (v_any_table or m.source_table = any (v_tables))
                                   and (v_key is null or m.record_pks like v_key)
                                   and (v_action is null or m.action::"char" = v_action)
                                   and (v_since is null or m.committed_at >= v_since)
                                   and (v_until is null or m.committed_at < v_until)) end)
           and (v_group is null
                or millrace_private.error_group(v_mark, k.stage, coalesce(k.error, v_circuit)) = v_group) as fits
      from looked k
  )
  select a.id, a.lane, a.place, a.fits from asked a where a.fits or a.is_last;
end
$$;
