-- Takes p_taken messages out of a lease that lock_lease has locked; its last ones end it.
create or replace function millrace_private.shrink_lease(p_place tid, p_taken integer) returns void language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  update millrace_private.leases l set remaining = l.remaining - p_taken where l.ctid = p_place and l.remaining > p_taken;
  if not found then
    delete from millrace_private.leases l where l.ctid = p_place;
  end if;
end
$$;
