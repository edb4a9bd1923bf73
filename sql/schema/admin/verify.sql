-- Only asks for it: a worker compares.
create or replace function millrace.verify(sink text, repair boolean default false, refresh_ms integer default null)
returns uuid language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_sink record;
begin
  select s.no, s.name, s.readable, d.no as database_no into v_sink
    from millrace_private.sinks s join millrace_private.databases d on d.id = s.database_id
   where s.no = millrace_private.sink_no(sink);
  if not v_sink.readable then
    raise exception 'sink % holds nothing that can be compared with tables', quote_literal(v_sink.name)
      using errcode = 'MR400', hint = 'Name a search index.';
  end if;
  if refresh_ms not between 0 and 600000 then
    raise exception 'refresh_ms must be from 0 to 600000' using errcode = 'MR400',
      hint = 'It is in milliseconds, a little more than the refresh_interval of the index.';
  end if;
  return millrace_private.begin_operation('verify', v_sink.no, v_sink.database_no,
    jsonb_build_object('repair', coalesce(repair, false), 'refresh_ms', refresh_ms));
end
$$;
comment on function millrace.verify(text, boolean, integer) is
  'Has a search index compared with its tables, and repaired if so wished. Returns the id that operation_status shows; its result says what was found.';
