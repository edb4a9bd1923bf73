-- In the transaction of the change. Who acts is said by the caller, or for a session or a transaction by the setting
-- millrace.actor, as is the request by millrace.request_id; without either it is a person with psql. Secrets are masked by the
-- caller. A row is bounded: what is larger than 64 KB is left out.
create or replace function millrace_private.record_change(
  p_action text, p_subject text, p_before jsonb, p_after jsonb, p_actor text default null, p_request_id text default null)
returns void language sql
set search_path = pg_catalog, pg_temp as $$
  insert into millrace_private.audit_log (actor, action, subject, before, after, request_id)
  values (left(coalesce(p_actor, nullif(current_setting('millrace.actor', true), ''), 'sql ' || session_user), 400),
          p_action, left(p_subject, 400),
          case when octet_length(p_before::text) > 65536
               then jsonb_build_object('left_out', 'larger than 64 KB') else p_before end,
          case when octet_length(p_after::text) > 65536
               then jsonb_build_object('left_out', 'larger than 64 KB') else p_after end,
          left(coalesce(p_request_id, nullif(current_setting('millrace.request_id', true), '')), 100))
$$;
