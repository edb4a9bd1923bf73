-- Deletes messages that a client has: they never come back. Returns how many; an id that its token holds no longer is left out.
-- See acknowledge_leases.
create or replace function millrace_private.acknowledge(p_sink_no integer, p_ack_ids text[]) returns integer
language plpgsql set lock_timeout = '10s'
set search_path = pg_catalog, pg_temp as $$
declare
  v_token text := left(p_ack_ids[1], 32);
  v_text text := array_to_string(p_ack_ids, ',');
  v_rest text := replace(v_text, v_token || '-', '');
  v_tokens text[];
  v_ids text[];
  v_answer record;
  v_told text;
begin
  -- Nearly always all are of one token. As parse_ack_ids looks at them.
  if octet_length(v_text) - octet_length(v_rest) = 33 * cardinality(p_ack_ids)
     and v_rest ~ '^[0-9]{1,18}(,[0-9]{1,18})*$'
     and octet_length(v_rest) - octet_length(replace(v_rest, ',', '')) = cardinality(p_ack_ids) - 1 then
    v_tokens := array[v_token];
    v_ids := array[v_rest];
  else
    select coalesce(array_agg(k.token order by k.token), '{}'), array_agg(array_to_string(k.ids, ',') order by k.token)
      into v_tokens, v_ids from millrace_private.known_tokens(p_sink_no, p_ack_ids) k;
  end if;
  v_answer := millrace_private.acknowledge_leases(p_sink_no, v_tokens, v_ids);
  -- For whoever asks in the same transaction: a result of acknowledge never changes. (As an
  -- expression: a query costs many times as much.)
  v_told := set_config('millrace.committed', v_answer.committed, true);
  if cardinality(v_tokens) = 1 then
    return v_answer.counts[1];
  end if;
  return (select coalesce(sum(c), 0) from unnest(v_answer.counts) c);
end
$$;
