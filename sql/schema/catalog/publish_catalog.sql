-- The last statement of every change of the catalog: waits for captures that persist right now, and makes the next ones
-- match again. A change persisted after this commits is matched with the new catalog.
-- Until then no capture persists anything.
create or replace function millrace_private.publish_catalog() returns bigint language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_generation bigint;
begin
  perform millrace_private.limit_idling();
  lock table millrace_private.lock_catalog in exclusive mode;
  perform millrace_private.refresh_metadata();
  update millrace_private.catalog_state set generation = generation + 1 returning generation into v_generation;
  perform pg_notify('millrace_catalog', v_generation::text);
  return v_generation;
end
$$;
