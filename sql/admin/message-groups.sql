-- Of the newest $2 that are parked: the 100 largest groups of those that failed at the same stage with the same error, but for its
-- numbers. One row without a group when none is parked. sample: the newest of a group. is_estimate: others were not looked at.
with looked as (
  select e.id, e.lane, e.stage, e.parked_at, coalesce(e.error, b.error) as error, e.source_table
    from millrace_private.delivery_states e
    left join millrace_private.circuits b on b.sink_no = e.sink_no
   where e.sink_no = $1::integer and e.state = 'parked'
   order by e.id desc limit $2::integer
), counted as (
  -- Groups are few, and texts are long: they are told apart by a number made of them.
  select k.stage, hashtextextended(millrace_private.error_shape(k.error), 0) as shape,
         coalesce(k.source_table,
                  (select m.source_table from millrace_private.messages m
                    where m.sink_no = $1::integer and m.lane = k.lane and m.id = k.id)) as source_table,
         count(*) as count, min(k.parked_at) as first_at, max(k.parked_at) as last_at, max(k.id) as sample_id
    from looked k
   group by k.stage, 2, 3
), grouped as (
  select c.stage, sum(c.count)::integer as count, min(c.first_at) as first_at, max(c.last_at) as last_at,
         max(c.sample_id) as sample_id, array_agg(c.source_table) as source_tables, sum(sum(c.count)) over ()::integer as looked
    from counted c
   group by c.stage, c.shape
   order by sum(c.count) desc, max(c.sample_id) desc
   limit 100
)
select coalesce(g.looked, 0) as looked, coalesce(g.looked = $2::integer, false) as is_estimate,
       g.stage, g.count, g.first_at, g.last_at, g.sample_id,
       array(select distinct c.schema_name || '.' || c.table_name
               from millrace_private.source_tables c where c.no = any (g.source_tables) order by 1) as tables,
       millrace_private.error_group(i.mark, g.stage, s.error) as "group", left(s.error, $3::integer) as error,
       (select millrace_private.pk_text(m.record_pks) from millrace_private.messages m
         where m.sink_no = $1::integer and m.lane = s.lane and m.id = g.sample_id) as record_pk
  from millrace_private.installation i
  left join grouped g on true
  left join lateral (select e.lane, coalesce(e.error, b.error) as error
                       from millrace_private.delivery_states e
                       left join millrace_private.circuits b on b.sink_no = e.sink_no
                      where e.sink_no = $1::integer and e.id = g.sample_id) s on true
 order by g.count desc, g.sample_id desc
