-- Only asks for it: a worker makes the second sink, with the credential of the first.
create or replace function millrace.rebuild(
  sink text, index text, transform text default null, name text default null, alias text default null)
returns uuid language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_sink record;
begin
  select s.no, s.name, s.readable, d.no as database_no into v_sink
    from millrace_private.sinks s join millrace_private.databases d on d.id = s.database_id
   where s.no = millrace_private.sink_no(sink);
  if not v_sink.readable then
    raise exception 'sink % has no index', quote_literal(v_sink.name) using errcode = 'MR400', hint = 'Name a search index.';
  end if;
  if coalesce(index, '') = '' then
    raise exception 'index must name the new index' using errcode = 'MR400', hint = 'It must exist, with its mapping.';
  end if;
  return millrace_private.begin_operation('rebuild', v_sink.no, v_sink.database_no,
    jsonb_build_object('index', index, 'transform', transform, 'name', name, 'alias', alias));
end
$$;
comment on function millrace.rebuild(text, text, text, text, text) is
  'Has a second index filled beside the one of a search index, by a sink of its own. Returns the id that operation_status shows; its result says how to switch over.';
