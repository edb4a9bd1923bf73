-- Writes down what lease_batches leases on the straight path: the first p_clear of p_ids, which are the next messages of the
-- consumer, in ranges of p_batches[n] for the nth client. The last one gets what is left for it, if those are all of p_ids;
-- else a client whose batch would not be full gets nothing yet. tokens and sizes
-- have an entry for each who got something; leased is how many messages those are.
create or replace function millrace_private.lease_ranges(
  p_sink_no integer, p_batches integer[], p_ids bigint[], p_clear integer, p_passed_id bigint, p_seq bigint,
  p_in_flight integer, p_now timestamptz, p_until timestamptz, out tokens text[], out sizes integer[], out leased integer)
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_ids bigint[];
  v_los bigint[] := '{}';
  v_his bigint[] := '{}';
  v_digests bigint[] := '{}';
begin
  tokens := '{}';
  sizes := '{}';
  leased := 0;
  for v_place in 1 .. cardinality(p_batches) loop
    exit when leased = p_clear or (leased + p_batches[v_place] > p_clear and p_clear < cardinality(p_ids));
    v_ids := p_ids[leased + 1 : leased + p_batches[v_place]];
    leased := leased + cardinality(v_ids);
    tokens := tokens || replace(gen_random_uuid()::text, '-', '');
    sizes := sizes || cardinality(v_ids);
    v_los := v_los || case when v_place = 1 then p_passed_id else v_his[v_place - 1] end;
    v_his := v_his || p_ids[leased];
    v_digests := v_digests || hash_array_extended(v_ids, 0);
  end loop;
  insert into millrace_private.leases (sink_no, token, lo, hi, until, size, remaining, dense, digest)
  select p_sink_no, l.token, l.lo, l.hi, p_until, l.size, l.size, true, l.digest
    from unnest(tokens, v_los, v_his, sizes, v_digests) l (token, lo, hi, size, digest);
  insert into millrace_private.cursor_log (sink_no, lane, seq, id, in_flight, swept_at)
  values (p_sink_no, 0, p_seq + 1, p_ids[leased], p_in_flight + leased, p_now);
  if (p_seq + 1) % 64 = 0 then
    perform millrace_private.forget_cursors(p_sink_no, p_seq + 1);
  end if;
end
$$;
