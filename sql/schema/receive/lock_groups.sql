-- For two acknowledgements that each see the other's row still there: see free_groups. 256 rows for a consumer at most, made
-- when they are needed, locked in order, and never updated.
create or replace function millrace_private.lock_groups(p_sink_no integer, p_groups bigint[]) returns void language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_bucket smallint;
begin
  for v_bucket in
    select distinct (hashint8extended(g.group_key, p_sink_no) & 255)::smallint from unnest(p_groups) g (group_key) order by 1
  loop
    insert into millrace_private.group_locks (sink_no, bucket) values (p_sink_no, v_bucket) on conflict do nothing;
    perform from millrace_private.group_locks k where k.sink_no = p_sink_no and k.bucket = v_bucket for no key update;
  end loop;
end
$$;
