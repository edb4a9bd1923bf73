-- The last value of a key needs no escapes: it is what is left. See src/model/joined-key.ts.
create or replace function millrace_private.joined_key(p_values text[]) returns text
language plpgsql immutable parallel safe strict as $$
declare
  c_whole constant text := '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|-([0-9]+([.][0-9]+)?|[Ii]nfinity)'
    || '|-?[0-9]+([.][0-9]+)?e[+-][0-9]+|[0-9]{4,}-[0-9]{2}-[0-9]{2}([ T][^-\\]*)?';
  v_plain text := array_to_string(p_values, '-', '');
  v_value text;
  v_joined text;
begin
  if cardinality(p_values) = 1 or length(v_plain) - length(replace(v_plain, '-', '')) < cardinality(p_values) then
    return v_plain;
  end if;
  v_joined := coalesce(p_values[cardinality(p_values)], '');
  for place in reverse cardinality(p_values) - 1..1 loop
    v_value := coalesce(p_values[place], '');
    if (v_value collate "C") ~ ('^(' || c_whole || ')$') then
      v_joined := v_value || '-' || v_joined;
    else
      v_joined := case when v_value = '' then '\.' else replace(replace(v_value, '\', '\\'), '-', '\-') end || '-' || v_joined;
      if (v_joined collate "C") ~ ('^(' || c_whole || ')(-|$)') then
        v_joined := '\' || v_joined;
      end if;
    end if;
  end loop;
  return v_joined;
end
$$;

-- "of " without a name, when it was of all tables.
create or replace function millrace.backfill(
  sink text, "table" text default null, sort_column text default null, start_position text default null)
returns uuid language plpgsql as $$
declare
  v_no integer := millrace_private.sink_no(sink);
  v_kind text;
  v_status text;
  v_parts text[];
  v_id uuid;
begin
  select s.kind, s.status into v_kind, v_status from millrace_private.sinks s where s.no = v_no;
  if v_kind = 'change_table' then
    raise exception 'sink %: a change table takes changes only, not rows that are there already', quote_literal(sink)
      using errcode = 'MR400', hint = 'Name a search index or a pull consumer.';
  end if;
  if v_status = 'disabled' then
    raise exception 'sink % is disabled: it keeps no messages', quote_literal(sink)
      using errcode = 'MR400', hint = 'Set its status to active or paused first.';
  end if;
  if (sort_column is null) <> (start_position is null) then
    raise exception 'sort_column and start_position belong together' using errcode = 'MR400',
      hint = 'Give both, or neither: millrace.backfill(''index'', ''public.orders'', ''updated_at'', ''2026-01-01'').';
  end if;
  if sort_column is not null and "table" is null then
    raise exception 'sort_column needs a table' using errcode = 'MR400', hint = 'Name the table whose column it is.';
  end if;
  if "table" is not null then
    v_parts := millrace_private.table_parts("table");
  end if;
  insert into millrace_private.backfills (sink_no, kind, table_schema, table_name, sort_column, start_position)
  values (v_no, case when "table" is null then 'all' else 'table' end, v_parts[1], v_parts[2],
          backfill.sort_column, backfill.start_position)
  returning id into v_id;
  return v_id;
exception when unique_violation then
  raise exception 'a backfill of % runs already',
    case when "table" is null then format('all tables of sink %s', quote_literal(sink))
         else format('%s to sink %s', quote_literal("table"), quote_literal(sink)) end
    using errcode = 'MR409', hint = 'select * from millrace.backfill_status; millrace.cancel_backfill(id) ends it.';
end
$$;
-- A sink whose messages wait for an index that a routing function named is not well, though the others go on.
create or replace view millrace.sink_status as
  select s.name as sink_name, s.kind, d.name as database_name, s.status,
         case when s.status <> 'active' then s.status
              when b.sink_no is not null then b.reason
              when p.state not in ('streaming', 'starting', 'standby') then 'source_' || p.state
              when x.index_error is not null then 'routed_index_failing'
              else 'ok' end as health,
         c.pending,
         x.retrying, x.parked,
         millrace_private.oldest_committed_at(s.no) as oldest_committed_at,
         coalesce(b.error, x.index_error) as error, b.opened_at as failing_since, b.probe_at as next_probe_at,
         (select json_agg(json_build_object('code', n.code, 'table', n.table_name, 'message', n.message,
                                            'remedy', n.remedy, 'since', n.created_at) order by n.created_at)
            from millrace_private.notices n where n.sink_no = s.no) as notices,
         c.is_estimate as pending_is_estimate
    from millrace_private.sinks s
    join millrace_private.databases d on d.id = s.database_id
    left join millrace_private.positions p on p.database_no = d.no
    left join millrace_private.circuits b on b.sink_no = s.no
    left join lateral (select max(n.pending) as pending, bool_or(n.is_estimate) as is_estimate
                         from millrace_private.count_pending(s.no) n) c on true
    left join lateral (select count(*) filter (where e.state in ('retrying', 'held')) as retrying,
                              count(*) filter (where e.state = 'parked') as parked,
                              max(e.error) filter (where e.state = 'retrying' and e.stage = 'index') as index_error
                         from millrace_private.exceptions e where e.sink_no = s.no) x on true;
comment on column millrace.sink_status.health is
  'ok, or why nothing is delivered: the circuit''s reason, source_<state>, paused, disabled; routed_index_failing: messages wait for an index that a routing function named (error says which).';
