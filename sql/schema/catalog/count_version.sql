-- Every change of a thing counts one more version of it, and says who made it, as record_change does. What changes a thing sets updated_at or whose it is; what only
-- rewrites it (sealing, metadata, traits) sets neither.
create or replace function millrace_private.count_version() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'UPDATE' then
    new.version := old.version + 1;
  end if;
  new.updated_by := coalesce(nullif(current_setting('millrace.actor', true), ''), 'sql ' || session_user);
  return new;
end
$$;
create or replace trigger count_version before insert or update of name, updated_at, managed_by
  on millrace_private.databases for each row execute function millrace_private.count_version();
create or replace trigger count_version before insert or update of name, updated_at, managed_by
  on millrace_private.functions for each row execute function millrace_private.count_version();
create or replace trigger count_version before insert or update of name, updated_at, managed_by
  on millrace_private.sinks for each row execute function millrace_private.count_version();
