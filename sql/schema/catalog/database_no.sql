-- The database's number by its name or id. Raises MR404.
create or replace function millrace_private.database_no(p_database text) returns integer language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
  v_no integer;
begin
  select d.no into v_no from millrace_private.databases d where d.name = p_database or d.id::text = lower(p_database);
  if not found then
    raise exception 'there is no database %', quote_nullable(p_database) using errcode = 'MR404',
      hint = 'select database_name from millrace.database_status';
  end if;
  return v_no;
end
$$;
