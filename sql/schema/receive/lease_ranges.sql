-- Writes down what lease_batches leases on the straight path: the first p_clear of p_ids, which are the next messages of the
-- consumer, in ranges of p_batches[n] for the nth client. The last one gets what is left for it, if those are all of p_ids;
-- else a client whose batch would not be full gets nothing yet. tokens and sizes
-- have an entry for each who got something; leased is how many messages those are.
create or replace function millrace_private.lease_ranges(
  p_sink_no integer, p_batches integer[], p_ids bigint[], p_clear integer, p_passed_id bigint, p_seq bigint,
  p_in_flight integer, p_now timestamptz, p_until timestamptz, out tokens text[], out sizes integer[], out leased integer)
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  with client as materialized (
    select c.place, replace(gen_random_uuid()::text, '-', '') as token,
           case when c.before = 0 then p_passed_id else p_ids[c.before] end as lo, p_ids[c.before + 1 : c.before + c.batch] as ids
      from (select b.place, b.batch, (sum(b.batch) over (order by b.place) - b.batch)::integer as before
              from unnest(p_batches) with ordinality b (batch, place)) c
     where c.before < p_clear and (c.before + c.batch <= p_clear or p_clear = cardinality(p_ids))
  ), lease as (
    insert into millrace_private.leases (sink_no, token, lo, hi, until, size, remaining, dense, digest)
    select p_sink_no, c.token, c.lo, c.ids[cardinality(c.ids)], p_until, cardinality(c.ids), cardinality(c.ids), true,
           hash_array_extended(c.ids, 0)
      from client c
  ), passed as (
    insert into millrace_private.cursor_log (sink_no, lane, seq, id, in_flight, swept_at)
    select p_sink_no, 0, p_seq + 1, max(c.ids[cardinality(c.ids)]), p_in_flight + sum(cardinality(c.ids)), p_now from client c
  )
  select array_agg(c.token order by c.place), array_agg(cardinality(c.ids) order by c.place), sum(cardinality(c.ids))
    into tokens, sizes, leased from client c;
  if (p_seq + 1) % 64 = 0 then
    delete from millrace_private.cursor_log c
     where c.sink_no = p_sink_no and c.lane = 0 and c.seq <= p_seq and c.seq >= p_seq - 127;
  end if;
end
$$;
