-- Of as many of the messages $2 in lanes $3, in their order, as fit into $4 bytes, but of the first in any case. Sizes cost nothing to know.
with sized as materialized (
  select z.id, z.lane, z.place, sum(z.bytes) over (order by z.place rows unbounded preceding) - z.bytes as before
    from (select i.id, i.lane, i.place, m.bytes
            from unnest($2::bigint[], $3::smallint[]) with ordinality i (id, lane, place)
           cross join lateral (select octet_length(o.record) + coalesce(octet_length(o.changes), 0)
                                      + coalesce(octet_length(o.payload), 0) as bytes
                                 from millrace_private.messages o
                                where o.sink_no = $1::integer and o.lane = i.lane and o.id = i.id limit 1) m) z
)
select v.id, v.message::text as text
  from sized z
  join millrace_private.message_list v on v.sink_no = $1::integer and v.lane = z.lane and v.id = z.id
 where z.before < $4::bigint
 order by z.place
