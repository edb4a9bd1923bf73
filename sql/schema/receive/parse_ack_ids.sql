-- An ack_id is <32 hexadecimal digits of the lease's token>-<message id>. What is not of this form is left out, also
-- `token-1,2`. Nearly always all are of one lease: then its token is cut out of all of them at once.
create or replace function millrace_private.parse_ack_ids(p_ack_ids text[]) returns table (token text, ids bigint[])
language plpgsql immutable
set search_path = pg_catalog, pg_temp as $$
declare
  v_token text := left(p_ack_ids[1], 32);
  v_all text := array_to_string(p_ack_ids, ',');
  v_ids text := replace(v_all, v_token || '-', '');
begin
  if octet_length(v_all) - octet_length(v_ids) = 33 * cardinality(p_ack_ids)
     and v_ids ~ '^[0-9]{1,18}(,[0-9]{1,18})*$'
     and octet_length(v_ids) - octet_length(replace(v_ids, ',', '')) = cardinality(p_ack_ids) - 1 then
    if cardinality(p_ack_ids) = 1 then
      token := v_token;
      ids := array[v_ids::bigint];
      return next;
      return;
    end if;
    return query select v_token, array_agg(distinct i.id) from unnest(('{' || v_ids || '}')::bigint[]) i (id);
    return;
  end if;
  return query
    select left(a, 32), array_agg(distinct substr(a, 34)::bigint)
      from unnest(p_ack_ids) a
     where length(a) between 34 and 51 and substr(a, 33, 1) = '-'
       and translate(substr(a, 34), '0123456789', '') = ''
     group by left(a, 32)
     order by left(a, 32);
end
$$;
