-- See answer_ids. The messages stay with the client until visibility_timeout from now.
create or replace function millrace.extend(consumer text, ack_ids text[], visibility_timeout interval) returns integer
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  if visibility_timeout is null or visibility_timeout < interval '500 ms' or visibility_timeout > interval '12 h' then
    raise exception 'visibility_timeout must be from 500 milliseconds to 12 hours' using errcode = '22023';
  end if;
  return millrace_private.answer(millrace_private.consumer_no(consumer), 'extend', ack_ids, visibility_timeout);
end
$$;
comment on function millrace.extend(text, text[], interval) is
  'Extends leases to visibility_timeout from now. Returns the number of messages that it applied to.';
