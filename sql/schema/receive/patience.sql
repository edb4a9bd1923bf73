-- How long a receive waits for its locks: less than half of what Postgres lets pass before it looks for a deadlock, in a
-- transaction that has acknowledged.
create or replace function millrace_private.patience() returns text language sql stable
set search_path = pg_catalog, pg_temp as $$
  select case when current_setting('millrace.answered', true) <> ''
              then least(300, extract(epoch from current_setting('deadlock_timeout')::interval) * 400)::integer::text || 'ms'
              else '2s' end
$$;
