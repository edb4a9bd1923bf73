-- With what it began: the backfills of a rebuild or a resync, and a resync's verifications. A worker that has it sees so within
-- seconds, and writes nothing any more. A resync that had begun leaves indexes of which nobody knows what they miss: they say so.
create or replace function millrace.cancel_operation(operation uuid) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_state text := millrace_private.operation_state(operation);
  v_part uuid;
  v_left integer;
  v_any boolean := false;
begin
  if v_state is not null then
    update millrace_private.operations o
       set state = 'cancelled', reason = null, remedy = null, owner = null, token = null, until = null,
           lines = '{}', ended_at = clock_timestamp()
     where o.id = operation and o.state in ('waiting', 'running', 'paused', 'failed')
    returning case when o.kind = 'resync' and o.kept is not null then o.database_no end into v_left;
    if not found then
      return false;
    end if;
    v_any := true;
    insert into millrace_private.notices as n (sink_no, code, table_name, message, remedy)
    select s.no, 'gap', '', 'a resync was cancelled: rows that changed before it may be missing, documents of deleted rows may be left',
           format('bin/millrace resync %s --force', millrace_private.shell_word(d.name))
      from millrace_private.sinks s
      join millrace_private.databases d on d.id = s.database_id
     where d.no = v_left and s.readable and s.status <> 'disabled'
    on conflict (sink_no, code, table_name) do update
      set message = excluded.message, remedy = excluded.remedy, created_at = clock_timestamp();
    perform millrace_private.record_change('cancel', 'operation ' || operation, null, null);
    for v_part in select o.id from millrace_private.operations o
                   where o.parent_id = operation and o.state in ('waiting', 'running', 'paused') loop
      perform millrace.cancel_operation(v_part);
    end loop;
  end if;
  for v_part in select millrace_private.operation_backfills(operation) loop
    if millrace.cancel_backfill(v_part) then
      v_any := true;
    end if;
  end loop;
  if v_state is not null then
    update millrace_private.operations o set kept = null where o.id = operation;
    perform pg_notify('millrace_operations', operation::text);
  end if;
  return v_any;
end
$$;
comment on function millrace.cancel_operation(uuid) is
  'Ends a job for good, with what it began; what it has done stays. False when it had ended.';
