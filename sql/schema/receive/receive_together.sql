-- Receive for several clients in one round trip, for HTTP: see lease_batches. Before that, and in one transaction with it, what
-- they acknowledge: see acknowledge_leases. All that is committed, and the consumer free for the next ones, before a message is
-- read, so that clients that stop reading hold nobody up. messages: a text for each client with a lease, record separators
-- between them. Of a client's messages the first `sent` are in its text: together they have p_bytes at most, or are one message
-- more. Without a message: more, and in how many milliseconds something is due.
-- p_apart: leases of which each is every row between its first and its last are not read here, and is_apart says so; whoever calls
-- reads them, all at once, by ranges_of (table_no: as lease_batches has it).
create or replace procedure millrace_private.receive_together(
  p_sink_no integer, p_batches integer[], p_nested boolean, p_bytes bigint, p_ack_tokens text[], p_ack_ids text[], p_apart boolean,
  inout acked integer[], inout committed text, inout tokens text[], inout sizes integer[], inout sent integer[],
  inout ids bigint[], inout messages text, inout more boolean, inout due_in_ms double precision, inout is_apart boolean,
  inout table_no integer) language plpgsql as $$
declare
  v_answered record;
  v_lease record;
  v_is_mine boolean;
  v_told text;
begin
  if cardinality(p_ack_tokens) > 0 then
    -- The turn comes before the locks of an acknowledgement: see lease_batches.
    perform set_config('lock_timeout', '2s', true);
    v_is_mine := millrace_private.lock_consumer(p_sink_no, 'turn');
    v_answered := millrace_private.acknowledge_leases(p_sink_no, p_ack_tokens, p_ack_ids);
    v_told := set_config('millrace.answered', 'turn ' || p_sink_no, true);
    acked := v_answered.counts;
    committed := v_answered.committed;
  end if;
  -- (As an expression: a query that reads from a function costs more.)
  v_lease := millrace_private.lease_batches(p_sink_no, p_batches, null, p_bytes);
  commit;
  tokens := v_lease.tokens;
  sizes := v_lease.sizes;
  sent := v_lease.sizes;
  ids := v_lease.ids;
  more := v_lease.more;
  table_no := v_lease.table_no;
  is_apart := p_apart and v_lease.bytes is not null;
  if cardinality(ids) = 0 then
    due_in_ms := extract(epoch from millrace_private.next_due(p_sink_no, 0) - clock_timestamp()) * 1000;
  elsif is_apart then
    return;
  elsif v_lease.bytes is not null then
    messages := millrace_private.read_ranges(p_sink_no, tokens, sizes, ids, table_no, p_nested);
  else
    v_lease := millrace_private.read_leases(p_sink_no, tokens, sizes, ids, p_nested, p_bytes);
    messages := v_lease.messages;
    sent := v_lease.sent;
  end if;
end
$$;
