-- One that failed is tried anew, as often as at first, and so are its backfills that failed.
create or replace function millrace.resume_operation(operation uuid) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_state text := millrace_private.operation_state(operation);
  v_part uuid;
  v_any boolean := false;
begin
  if v_state is not null then
    update millrace_private.operations o
       set state = 'waiting', reason = null, remedy = null, attempt = 0, until = null, ended_at = null
     where o.id = operation and o.state in ('paused', 'failed');
    if not found then
      return false;
    end if;
    v_any := true;
    perform millrace_private.record_change('resume', 'operation ' || operation, null, null);
    for v_part in select o.id from millrace_private.operations o
                   where o.parent_id = operation and o.state = 'paused' loop
      perform millrace.resume_operation(v_part);
    end loop;
    perform pg_notify('millrace_operations', operation::text);
  end if;
  for v_part in select millrace_private.operation_backfills(operation) loop
    if millrace.resume_backfill(v_part) then
      v_any := true;
    end if;
  end loop;
  return v_any;
exception when unique_violation then
  raise exception 'another one of the kind is under way' using errcode = 'MR409',
    hint = 'select * from millrace.operation_status';
end
$$;
comment on function millrace.resume_operation(uuid) is
  'Continues a paused or failed job where it stopped. False when it was neither.';
