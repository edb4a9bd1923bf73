-- The tokens of ack_ids, each with its message ids, without those that nobody knows (any more): so none of many invented ones is
-- looked at twice. Tokens ascend: so do the locks on their leases.
create or replace function millrace_private.known_tokens(p_sink_no integer, p_ack_ids text[])
returns table (token text, ids bigint[]) language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
begin
  return query
    select a.token, a.ids
      from millrace_private.parse_ack_ids(p_ack_ids) a
     where exists (select from millrace_private.leases l where l.sink_no = p_sink_no and l.token = a.token offset 0)
        or exists (select from millrace_private.delivery_states x
                    where x.sink_no = p_sink_no and x.id = any (a.ids) and x.token = a.token offset 0);
end
$$;
