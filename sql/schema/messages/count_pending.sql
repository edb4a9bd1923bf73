-- How many messages of a sink are not settled, parked ones excluded: counted up to 100,000 (see count_some).
-- With its owner's rights, as the views have them: who may look at those may execute it.
create or replace function millrace_private.count_pending(p_sink_no integer, out pending bigint, out is_estimate boolean)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  select c.pending, c.is_estimate into pending, is_estimate from millrace_private.count_some(p_sink_no, 100000) c;
end
$$;
