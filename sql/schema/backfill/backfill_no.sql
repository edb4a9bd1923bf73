-- The backfill's number by its id. Raises MR404.
create or replace function millrace_private.backfill_no(p_id uuid) returns integer language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
  v_no integer;
begin
  select b.no into v_no from millrace_private.backfills b where b.id = p_id;
  if not found then
    raise exception 'there is no backfill %', p_id using errcode = 'MR404', hint = 'select id from millrace.backfill_status';
  end if;
  return v_no;
end
$$;
