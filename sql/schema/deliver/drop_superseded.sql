-- Deletes failed messages of a row of which a later one was delivered that carries the full document. Called by settle. Of several
-- that were, the last one counts: what failed is gone through once for each row.
create or replace function millrace_private.drop_superseded(p_sink_no integer, p_lane integer, p_superseding bigint[])
returns void language plpgsql
set search_path = pg_catalog, pg_temp as $$
begin
  with last as materialized (
    select n.group_key, n.record_pks, max(n.id) as id
      from unnest(p_superseding) u (id)
      join millrace_private.messages n on n.sink_no = p_sink_no and n.lane = p_lane and n.id = u.id
     group by n.group_key, n.record_pks
  ), older as (
    delete from millrace_private.delivery_states x
     where x.sink_no = p_sink_no and x.id = any (array(
            select f.id
              from last l
             cross join lateral (select d.id from millrace_private.delivery_states d
                                  where d.sink_no = p_sink_no and d.group_key between l.group_key and l.group_key and d.id < l.id
                                  order by d.group_key, d.id offset 0) f
             where exists (select from millrace_private.messages o
                            where o.sink_no = p_sink_no and o.lane = p_lane and o.id = f.id and o.record_pks = l.record_pks offset 0)))
    returning x.id
  )
  delete from millrace_private.messages m using older o
   where m.sink_no = p_sink_no and m.lane = p_lane and m.id = o.id;
end
$$;
