-- Nobody changes what was recorded, and only what is beyond the bounds is deleted: 400 days, and all but about the last
-- 1,000,000 rows. Whoever owns the table could drop this trigger; no statement of ours does.
create or replace function millrace_private.guard_audit() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'DELETE'
     and (old.at < now() - interval '400 days'
          or old.id <= (select max(a.id) from millrace_private.audit_log a) - 1000000) then
    return old;
  end if;
  raise exception 'the audit log is only added to' using errcode = 'MR400',
    hint = 'What is older than 400 days, or than the last 1,000,000 rows, is deleted by itself.';
end
$$;
create or replace trigger guard_audit before update or delete on millrace_private.audit_log
  for each row execute function millrace_private.guard_audit();
create or replace trigger guard_audit_whole before truncate on millrace_private.audit_log
  for each statement execute function millrace_private.guard_audit();
