-- Who may what, applied after every change of a definition. A role for people and dashboards, where we may make one, sees the
-- views and nothing else. Functions of millrace_private run with the caller's rights, and nobody else has any on its tables;
-- those of millrace are for whoever is given them.
do $$
begin
  create role millrace_reader nologin;
exception
  when duplicate_object or unique_violation or insufficient_privilege then null;
end
$$;
revoke execute on all functions in schema millrace from public;
do $$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'millrace_reader') then
    -- The views call functions of the other schema; its tables stay closed.
    grant usage on schema millrace, millrace_private to millrace_reader;
    grant select on all tables in schema millrace to millrace_reader;
    grant execute on function millrace.metrics() to millrace_reader;
  end if;
exception
  when insufficient_privilege then null;
end
$$;
