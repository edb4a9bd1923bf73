-- Only asks for it: a worker does it. At most one of a kind is under way for a sink, and of a resync for a database. What a filter
-- looks for in rows and errors is recorded nowhere else.
create or replace function millrace_private.begin_operation(
  p_kind text, p_sink_no integer, p_database_no integer, p_request jsonb, p_parent uuid default null)
returns uuid language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_id uuid;
  v_name text;
  v_recorded jsonb := jsonb_strip_nulls(p_request) #- '{filter,key}' #- '{filter,error}';
begin
  insert into millrace_private.operations (kind, sink_no, database_no, request, parent_id, requested_by)
  values (p_kind, p_sink_no, p_database_no, jsonb_strip_nulls(p_request), p_parent,
          left(coalesce(nullif(current_setting('millrace.actor', true), ''), 'sql ' || session_user), 400))
  on conflict do nothing
  returning id into v_id;
  if v_id is null then
    select coalesce(
      (select format('sink %L', s.name) from millrace_private.sinks s where s.no = p_sink_no),
      (select format('database %L', d.name) from millrace_private.databases d where d.no = p_database_no)) into v_name;
    raise exception 'a % of % is under way', p_kind, v_name using errcode = 'MR409',
      hint = 'select * from millrace.operation_status';
  end if;
  if p_sink_no is null then
    perform millrace_private.record_change(p_kind, 'database ' || d.name, null, v_recorded)
       from millrace_private.databases d where d.no = p_database_no;
  else
    perform millrace_private.record_sink(p_kind, p_sink_no, null, v_recorded);
  end if;
  perform pg_notify('millrace_operations', v_id::text);
  return v_id;
end
$$;
