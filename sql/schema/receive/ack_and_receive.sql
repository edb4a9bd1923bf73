-- One step of a client's loop, in one transaction: first ack, then receive. The turn comes before the locks of an acknowledgement: see
-- lease_batches.
create or replace function millrace.ack_and_receive(
  consumer text, ack_ids text[], batch_size integer default 1, visibility_timeout interval default null)
returns table (acked integer, ack_id text, message json) language plpgsql set lock_timeout = '2s'
set search_path = pg_catalog, pg_temp as $$
declare
  v_no integer := millrace_private.consumer_no(consumer);
  v_is_mine boolean;
  v_acked integer;
  v_told text;
begin
  v_is_mine := case when current_setting('millrace.answered', true) <> '' then millrace_private.try_lock_consumer(v_no, 'turn')
                    else millrace_private.lock_consumer(v_no, 'turn') end;
  v_acked := millrace.ack(consumer, ack_ids);
  if v_is_mine then
    v_told := set_config('millrace.answered', 'turn ' || v_no, true);
  end if;
  return query
    select v_acked, r.ack_id, r.message from millrace.receive(consumer, batch_size, visibility_timeout) r;
  if not found then
    return query select v_acked, null::text, null::json;
  end if;
end
$$;
comment on function millrace.ack_and_receive(text, text[], integer, interval) is
  'Marks these messages as done, then leases the next ones: as ack and receive do, in one transaction. acked: the number of messages that were marked, in every row; without a message there is one row, with nothing else.';
