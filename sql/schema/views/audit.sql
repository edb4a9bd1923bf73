-- Before and after have no secret.
create or replace view millrace.audit as
  select a.id, a.at, a.actor, a.action, a.subject, a.before, a.after, a.request_id from millrace_private.audit_log a;
comment on view millrace.audit is
  'Who changed what, over HTTP, with the command line, by a file or by SQL: the last 400 days, at most 1,000,000 rows.';
comment on column millrace.audit.actor is 'Kind and name of who did it: token ci, user ann@example.org, cli root, file start, sql postgres.';
comment on column millrace.audit.subject is 'Kind and name of what was changed: sink products-index.';
comment on column millrace.audit.before is 'Secrets are masked. Null: there was nothing.';
comment on column millrace.audit.after is 'Secrets are masked. Null: there is nothing any more.';
comment on column millrace.audit.request_id is 'That of the HTTP request, as in its X-Request-Id.';
