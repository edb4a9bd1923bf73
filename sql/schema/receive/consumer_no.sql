-- The consumer's number by its name or id. Raises MR404.
create or replace function millrace_private.consumer_no(p_consumer text) returns integer
language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
  v_no integer;
begin
  select s.no into v_no from millrace_private.sinks s where s.receivable and s.name = p_consumer;
  if not found then
    select s.no into v_no from millrace_private.sinks s where s.receivable and s.id::text = lower(p_consumer);
  end if;
  if v_no is null then
    raise exception 'there is no pull consumer %', quote_nullable(p_consumer) using errcode = 'MR404',
      hint = 'select sink_name from millrace.consumer_status';
  end if;
  return v_no;
end
$$;
