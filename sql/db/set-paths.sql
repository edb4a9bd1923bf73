-- Functions look names up where our sessions do, whoever calls them, from psql too. Done after every migration, so that
-- none can forget it. A procedure may not commit with a setting of its own, and is called by us alone; a body that was
-- parsed when it was made (begin atomic, return) looks nothing up.
do $$
declare
  v_function pg_catalog.regprocedure;
begin
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('millrace: paths of functions', 0));
  for v_function in
    select p.oid
      from pg_catalog.pg_proc p
      join pg_catalog.pg_namespace n on n.oid = p.pronamespace
     where n.nspname in ('millrace', 'millrace_private') and p.prokind = 'f' and p.prosqlbody is null
       and not coalesce(p.proconfig, '{}') @> array['search_path=pg_catalog, pg_temp']
  loop
    execute pg_catalog.format('alter function %s set search_path = pg_catalog, pg_temp', v_function);
  end loop;
end
$$
