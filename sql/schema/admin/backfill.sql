-- Only asks for it: capture reads the rows. At most one of a table, and one of all tables, is under way for a sink.
create or replace function millrace.backfill(
  sink text, "table" text default null, sort_column text default null, start_position text default null)
returns uuid language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_no integer := millrace_private.sink_no(sink);
  v_takes_rows boolean;
  v_status text;
  v_parts text[];
  v_id uuid;
begin
  select s.takes_rows, s.status into v_takes_rows, v_status from millrace_private.sinks s where s.no = v_no;
  if not v_takes_rows then
    raise exception 'sink %: a change table takes changes only, not rows that are there already', quote_literal(sink)
      using errcode = 'MR400', hint = 'Name a sink that is no change retention.';
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
  perform millrace_private.record_sink('backfill', v_no, null, jsonb_strip_nulls(jsonb_build_object(
    'operation', v_id, 'table', "table", 'sort_column', backfill.sort_column)));
  return v_id;
exception when unique_violation then
  raise exception 'a backfill of % runs already',
    case when "table" is null then format('all tables of sink %s', quote_literal(sink))
         else format('%s to sink %s', quote_literal("table"), quote_literal(sink)) end
    using errcode = 'MR409', hint = 'select * from millrace.backfill_status; millrace.cancel_backfill(id) ends it.';
end
$$;
comment on function millrace.backfill(text, text, text, text) is
  'Sends the rows of a table (absent: of all tables of the sink) as messages of action read. With sort_column and start_position only rows from that value on. Returns the backfill''s id.';
