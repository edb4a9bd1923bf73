-- Only asks for it: the process that sends the entries reads the change table, which may be in another database. What is
-- taken from where is in the column `replay`. Two of the same would send every entry twice.
create or replace function millrace.replay(
  retention text, sink text, from_time timestamptz default null, to_time timestamptz default null,
  from_seq bigint default null, to_seq bigint default null, record_pks text[] default null)
returns uuid language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_from millrace_private.sinks;
  v_to millrace_private.sinks;
  v_table text[];
  v_id uuid;
begin
  select s.* into v_from from millrace_private.sinks s where s.name = retention or s.id::text = lower(retention)
   order by s.name = retention desc limit 1;
  if not found or v_from.destination_database_id is null then
    raise exception '% is not the name or id of a change retention', quote_literal(coalesce(retention, ''))
      using errcode = 'MR404', hint = 'select sink_name, kind from millrace.sink_status';
  end if;
  select s.* into strict v_to from millrace_private.sinks s where s.no = millrace_private.sink_no(sink);
  if not v_to.takes_rows then
    raise exception 'sink % is a change retention: entries are replayed to sinks of other kinds', quote_literal(sink)
      using errcode = 'MR400', hint = 'select sink_name, kind from millrace.sink_status';
  end if;
  if v_to.status = 'disabled' then
    raise exception 'sink % is disabled: it keeps no messages', quote_literal(sink)
      using errcode = 'MR400', hint = 'Set its status to active or paused first.';
  end if;
  if v_to.database_id <> v_from.database_id then
    raise exception 'sink % and retention % have different source databases', quote_literal(sink), quote_literal(retention)
      using errcode = 'MR400', hint = 'Name a sink whose database is the source_database of the retention.';
  end if;
  if from_time > to_time then
    raise exception 'from_time is after to_time' using errcode = 'MR400', hint = 'Entries from from_time on and before to_time are taken.';
  end if;
  if from_seq > to_seq then
    raise exception 'from_seq is after to_seq' using errcode = 'MR400', hint = 'Entries from from_seq to to_seq are taken, both included.';
  end if;
  -- schema.table, as the catalog writes it; a dot may be part of neither.
  v_table := regexp_match(v_from.settings #>> '{source,include_tables,0}', '^([^.]*)\.(.*)$', 's');
  insert into millrace_private.backfills (sink_no, kind, table_schema, table_name, replay)
  values (v_to.no, 'replay', v_table[1], v_table[2],
          jsonb_build_object('retention_id', v_from.id, 'retention', v_from.name, 'from_time', from_time, 'to_time', to_time,
                             'from_seq', from_seq::text, 'to_seq', to_seq::text, 'record_pks', to_jsonb(record_pks)))
  returning id into v_id;
  perform millrace_private.record_sink('replay', v_from.no, null, jsonb_strip_nulls(jsonb_build_object(
    'operation', v_id, 'sink', v_to.name, 'from_time', from_time, 'to_time', to_time, 'from_seq', from_seq, 'to_seq', to_seq,
    'record_pks', cardinality(record_pks))));
  return v_id;
exception when unique_violation then
  raise exception 'a replay of % to sink % runs already', quote_literal(retention), quote_literal(sink)
    using errcode = 'MR409', hint = 'select * from millrace.backfill_status; millrace.cancel_backfill(id) ends it.';
end
$$;
comment on function millrace.replay(text, text, timestamptz, timestamptz, bigint, bigint, text[]) is
  'Sends entries of a retention''s change table to a sink again, in their order: those committed from from_time on and before to_time, from from_seq to to_seq, of the rows with these record_pk; absent: all. Returns the id that backfill_status shows.';
