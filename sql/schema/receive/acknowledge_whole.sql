-- Deletes, in one statement, the messages of those leases of which p_ids[n] names all, and that are untouched; a token that comes
-- twice counts once. places and sizes: which of p_tokens those were, and of how many messages. The rest is as in acknowledge_lease,
-- of which this does the usual part for many.
--
-- Tokens ascend: one that was there before was there just before. All leases are locked in that order here, also those that are
-- not deleted: if those were locked afterwards, two who acknowledge the same ones could each wait for the other.
create or replace function millrace_private.acknowledge_whole(
  p_sink_no integer, p_tokens text[], p_ids text[], out places integer[], out sizes integer[], out groups bigint[],
  out others bigint[], out first timestamptz, out last timestamptz)
language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  v_is_large boolean := cardinality(p_tokens) > 8;
begin
  with lease as materialized (
    select a.place, a.ids, l.ctid as lease
      from (select p.place::integer as place, p.token, ('{' || p.ids || '}')::bigint[] as ids
              from unnest(p_tokens, p_ids, null::text || p_tokens) with ordinality p (token, ids, before, place)
             where p.token is distinct from p.before) a
     cross join lateral (
           select l.ctid,
                  l.dense and l.remaining = l.size and l.size = cardinality(a.ids) and l.digest = hash_array_extended(a.ids, 0)
                  and (select true from millrace_private.delivery_states x
                        where x.sink_no = p_sink_no and x.id > l.lo and x.id <= l.hi order by x.id limit 1) is null as whole
             from millrace_private.leases l
            where l.sink_no = p_sink_no and l.token >= a.token and l.token <= a.token
            order by l.token limit 1 for update) l
     where l.whole
  ), gone as (
    delete from millrace_private.messages m
     where m.sink_no = p_sink_no and m.lane = 0 and m.id = any (array(select i from lease l cross join unnest(l.ids) i))
    returning m.id, m.group_key, m.group_key2, m.committed_at
  ), over as (
    delete from millrace_private.leases o where o.ctid = any (array(select l.lease from lease l))
  )
  select (select array_agg(l.place) from lease l), (select array_agg(cardinality(l.ids)) from lease l),
         array_agg(g.group_key) filter (where g.group_key is not null and (
           exists (select from millrace_private.messages n
                    where n.sink_no = p_sink_no and n.group_key = g.group_key and n.id > g.id offset 0)
           or (not v_is_large
               and exists (select from millrace_private.messages n
                            where n.sink_no = p_sink_no and n.group_key2 = g.group_key and n.id > g.id offset 0))))
         || array_agg(g.group_key2) filter (where g.group_key2 is not null),
         array_agg(g.group_key) filter (where g.group_key is not null and v_is_large),
         min(g.committed_at), max(g.committed_at)
    into places, sizes, groups, others, first, last from gone g;
end
$$;
