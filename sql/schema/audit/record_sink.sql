-- What was done to a sink or a change retention, by its number, as record_change does.
create or replace function millrace_private.record_sink(p_action text, p_no integer, p_before jsonb, p_after jsonb)
returns void language sql
set search_path = pg_catalog, pg_temp as $$
  select millrace_private.record_change(
           p_action,
           case when s.destination_database_id is null then 'sink ' else 'change_retention ' end || s.name, p_before, p_after)
    from millrace_private.sinks s
   where s.no = p_no
$$;
