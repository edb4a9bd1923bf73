-- When the first and the last of the messages that were acknowledged were committed, for whoever asks in the same transaction:
-- seconds since 1970, with a space between them. (A result of acknowledge never changes.)
create or replace function millrace_private.tell_committed(p_first timestamptz, p_last timestamptz) returns void
language sql volatile
set search_path = pg_catalog, pg_temp as $$
  select set_config('millrace.committed', concat_ws(' ', date_part('epoch', p_first), date_part('epoch', p_last)), true)
$$;
