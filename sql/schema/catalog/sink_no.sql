-- The sink's number by its name or id; a name comes first, for it may look like an id. Raises MR404.
create or replace function millrace_private.sink_no(p_sink text) returns integer
language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
  v_no integer;
begin
  select s.no into v_no from millrace_private.sinks s where s.name = p_sink;
  if not found then
    select s.no into v_no from millrace_private.sinks s where s.id::text = lower(p_sink);
  end if;
  if v_no is null then
    raise exception 'there is no sink %', quote_nullable(p_sink) using errcode = 'MR404',
      hint = 'select sink_name from millrace.sink_status';
  end if;
  return v_no;
end
$$;
