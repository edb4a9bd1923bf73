-- Of an operation that a worker does; null: it is a backfill or a replay. Raises MR404.
create or replace function millrace_private.operation_state(p_id uuid) returns text language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
  v_state text;
begin
  select o.state into v_state from millrace_private.operations o where o.id = p_id;
  if v_state is null and not exists (select from millrace_private.backfills b where b.id = p_id) then
    raise exception 'there is no operation %', p_id using errcode = 'MR404', hint = 'select id from millrace.operation_status';
  end if;
  return v_state;
end
$$;
