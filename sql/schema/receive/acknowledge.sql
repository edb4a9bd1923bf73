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
  v_is_mine boolean;
  v_told text;
begin
  -- Nearly always all are of one token: then as acknowledge_leases does it, without its lists. As parse_ack_ids looks at them.
  if octet_length(v_text) - octet_length(v_rest) = 33 * cardinality(p_ack_ids)
     and v_rest ~ '^[0-9]{1,18}(,[0-9]{1,18})*$'
     and octet_length(v_rest) - octet_length(replace(v_rest, ',', '')) = cardinality(p_ack_ids) - 1 then
    v_is_mine := millrace_private.lock_consumer(p_sink_no, 'shared');
    v_told := set_config('millrace.answered', 'yes', true);
    v_answer := millrace_private.acknowledge_lease(p_sink_no, v_token, ('{' || v_rest || '}')::bigint[]);
    if v_answer.groups is not null or v_answer.others is not null then
      perform millrace_private.free_acknowledged(p_sink_no, v_answer.groups, v_answer.others);
    end if;
    return v_answer.count;
  end if;
  select coalesce(array_agg(k.token order by k.token), '{}'), array_agg(array_to_string(k.ids, ',') order by k.token)
    into v_tokens, v_ids from millrace_private.known_tokens(p_sink_no, p_ack_ids) k;
  v_answer := millrace_private.acknowledge_leases(p_sink_no, v_tokens, v_ids);
  return (select coalesce(sum(c), 0) from unnest(v_answer.counts) c);
end
$$;
