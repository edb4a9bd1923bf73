-- The lease of a token, locked, so that its place stays until whoever holds X shared moves it; nulls without one.
create or replace function millrace_private.lock_lease(
  p_sink_no integer, p_token text, out place tid, out lo bigint, out hi bigint, out dense boolean, out ids bigint[])
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  select l.ctid, l.lo, l.hi, l.dense, l.ids into place, lo, hi, dense, ids
    from millrace_private.leases l
   where l.sink_no = p_sink_no and l.token >= p_token and l.token <= p_token
   order by l.token limit 1 for update;
end
$$;
