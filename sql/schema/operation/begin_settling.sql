-- Only asks for it: a worker puts back, or gives up, what fits the filter and is not newer than what is there now. The filter has
-- the words of the management API; what a worker could not read is refused here. Times are kept as whoever asks means them: the
-- worker's zone, its order of day and month, and its `now` are others.
create or replace function millrace_private.begin_settling(
  p_kind text, p_sink text, p_filter jsonb, p_expected_count bigint default null)
returns uuid language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_sink record;
  v_states text[] := case p_kind when 'retry' then '{parked}' else '{parked,retrying,held}' end;
  v_words text[] := '{state,table,key,action,error,group,since,until}';
  v_wrong text;
begin
  select s.no, d.no as database_no into v_sink
    from millrace_private.sinks s join millrace_private.databases d on d.id = s.database_id
   where s.no = millrace_private.sink_no(p_sink);
  if jsonb_typeof(p_filter) is distinct from 'object' then
    raise exception 'the filter must be an object' using errcode = 'MR400', hint = '''{}'' for all that failed.';
  end if;
  select w.word into v_wrong
    from jsonb_each(p_filter) w (word, value)
   where w.word <> all (v_words) or jsonb_typeof(w.value) <> 'string' limit 1;
  if found then
    raise exception 'the filter has %, which is none of its words, or no text', quote_literal(v_wrong) using errcode = 'MR400',
      hint = format('Its words are %s.', array_to_string(v_words, ', '));
  end if;
  if p_filter ->> 'state' <> all (v_states) then
    raise exception 'the state must be one of %', array_to_string(v_states, ', ') using errcode = 'MR400',
      hint = 'Nothing else failed.';
  end if;
  begin
    p_filter := p_filter || jsonb_strip_nulls(jsonb_build_object(
      'since', (p_filter ->> 'since')::timestamptz, 'until', (p_filter ->> 'until')::timestamptz));
  exception when data_exception then
    raise exception 'since or until is not a time' using errcode = 'MR400', hint = 'Write 2026-11-22T08:00:00Z.';
  end;
  return millrace_private.begin_operation(p_kind, v_sink.no, v_sink.database_no, jsonb_build_object(
    'filter', p_filter, 'expected_count', p_expected_count,
    'up_to', coalesce((select max(x.id) from millrace_private.delivery_states x where x.sink_no = v_sink.no), 0)));
end
$$;
