-- Receive in one round trip, for HTTP: the lease is committed, and the consumer free for the next one, before a message is
-- read, so that a client that stops reading holds nobody up. ids are all that were leased; see read_messages for those that
-- are not in the text. Without a message: more (see lease_next), and in how many milliseconds something is due.
create or replace procedure millrace_private.receive_batch(
  p_sink_no integer, p_batch integer, p_nested boolean, p_bytes bigint,
  inout token text, inout ids bigint[], inout messages text, inout count integer, inout last_id bigint,
  inout more boolean, inout due_in_ms double precision) language plpgsql as $$
declare
  v_lease record;
  v_open text := case when p_nested then '"data":{' else '' end;
  v_close text := case when p_nested then '}' else '' end;
begin
  -- (As an expression: a query that reads from a function costs more.)
  v_lease := millrace_private.lease_next(p_sink_no, p_batch, null);
  commit;
  token := v_lease.token;
  ids := v_lease.ids;
  more := v_lease.more;
  if token is null then
    due_in_ms := extract(epoch from millrace_private.next_due(p_sink_no, 0) - clock_timestamp()) * 1000;
  elsif v_lease.bytes <= p_bytes and v_lease.table_no is not null then
    -- (One expression for every kind of body: Postgres prepares each of them anew in every call, also those that it does not need.)
    select string_agg('{"ack_id":"' || token || '-' || m.id || '",' || m.body || '}', ','), count(*), max(m.id)
      into messages, count, last_id
      from (select o.id,
                   case when o.payload is not null then '"data":' || o.payload
                        else v_open || millrace_private.message_members(o,
                               (select t.metadata from millrace_private.source_tables t where t.no = v_lease.table_no),
                               (select s.metadata from millrace_private.sinks s where s.no = p_sink_no)) || v_close
                   end as body
              from millrace_private.messages o
             where o.sink_no = p_sink_no and o.lane = 0 and o.id >= ids[1] and o.id <= ids[cardinality(ids)]
             order by o.id) m;
  else
    select r.messages, r.count, r.last_id into messages, count, last_id
      from millrace_private.read_messages(p_sink_no, token, ids, p_nested, p_bytes) r;
  end if;
end
$$;
