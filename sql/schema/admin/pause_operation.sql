-- With the backfills and verifications that it began. What was done is kept for when it goes on.
create or replace function millrace.pause_operation(operation uuid) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_state text := millrace_private.operation_state(operation);
  v_part uuid;
  v_any boolean := false;
begin
  if v_state is not null then
    update millrace_private.operations o
       set state = 'paused', reason = null, remedy = null, owner = null, token = null, until = null
     where o.id = operation and o.state in ('waiting', 'running');
    if not found then
      return false;
    end if;
    v_any := true;
    perform millrace_private.record_change('pause', 'operation ' || operation, null, null);
    for v_part in select o.id from millrace_private.operations o where o.parent_id = operation loop
      perform millrace.pause_operation(v_part);
    end loop;
    perform pg_notify('millrace_operations', operation::text);
  end if;
  for v_part in select millrace_private.operation_backfills(operation) loop
    if millrace.pause_backfill(v_part) then
      v_any := true;
    end if;
  end loop;
  return v_any;
end
$$;
comment on function millrace.pause_operation(uuid) is
  'Stops a job until it is resumed, with the backfills that it began. False when it was not under way.';
