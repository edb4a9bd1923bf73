-- Of the newest $2 that are parked: the 100 largest groups of those that failed at the same stage with the same error, but for its
-- numbers. One row without a group when none is parked. sample: the newest of a group. is_estimate: others were not looked at.
with looked as materialized (
  select e.id, e.lane, e.stage, e.parked_at, coalesce(e.error, b.error) as error
    from millrace_private.delivery_states e
    left join millrace_private.circuits b on b.sink_no = e.sink_no
   where e.sink_no = $1::integer and e.state = 'parked'
   order by e.id desc limit $2::integer
), shaped as (
  select k.id, k.stage, k.parked_at, millrace_private.error_shape(k.error) as shape, m.source_table
    from looked k
    left join millrace_private.messages m on m.sink_no = $1::integer and m.lane = k.lane and m.id = k.id
), grouped as (
  select s.stage, s.shape, count(*)::integer as count, min(s.parked_at) as first_at, max(s.parked_at) as last_at,
         max(s.id) as sample_id, array_agg(distinct s.source_table) as source_tables
    from shaped s
   group by s.stage, s.shape
   order by count(*) desc, max(s.id) desc
   limit 100
)
select t.looked, t.looked = $2::integer as is_estimate, g.stage, g.count, g.first_at, g.last_at, g.sample_id,
       array(select distinct c.schema_name || '.' || c.table_name
               from millrace_private.source_tables c where c.no = any (g.source_tables) order by 1) as tables,
       millrace_private.error_group(i.mark, g.stage, k.error) as "group", left(k.error, $3::integer) as error,
       (select millrace_private.pk_text(m.record_pks) from millrace_private.messages m
         where m.sink_no = $1::integer and m.lane = k.lane and m.id = k.id) as record_pk
  from (select count(*)::integer as looked from looked) t
 cross join millrace_private.installation i
  left join grouped g on true
  left join looked k on k.id = g.sample_id
 order by g.count desc, g.sample_id desc
