-- Writes down what a receive leased on the straight path, if anything, and the cursor with what is known of the leases.
create or replace function millrace_private.write_lease(
  p_sink_no integer, p_token text, p_lo bigint, p_hi bigint, p_until timestamptz, p_ids bigint[], p_dense boolean,
  p_seq bigint, p_in_flight integer, p_swept_at timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  with lease as (
    insert into millrace_private.leases (sink_no, token, lo, hi, until, size, remaining, dense, ids, digest)
    select p_sink_no, p_token, p_lo, p_hi, p_until, cardinality(p_ids), cardinality(p_ids), p_dense,
           case when not p_dense then p_ids end, hash_array_extended(p_ids, 0)
     where cardinality(p_ids) > 0
  )
  insert into millrace_private.cursor_log (sink_no, lane, seq, id, in_flight, swept_at)
  values (p_sink_no, 0, p_seq, p_hi, p_in_flight, p_swept_at);
  if p_seq % 64 = 0 then
    perform millrace_private.forget_cursors(p_sink_no, p_seq);
  end if;
end
$$;
