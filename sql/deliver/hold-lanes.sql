-- A row that is locked is being settled, by its owner or by the next one: it is left to the next time.
with mine as materialized (
  select m.sink_no, m.lane, m.owner from unnest($1::integer[], $2::smallint[], $3::text[]) as m (sink_no, lane, owner)
), free as materialized (
  select l.sink_no, l.lane
    from mine m
    join millrace_private.lanes l on l.sink_no = m.sink_no and l.lane = m.lane and l.owner = m.owner
     for no key update of l skip locked
), held as (
  update millrace_private.lanes l
     set until = clock_timestamp() + $4::integer * interval '1 ms', session = $5::bigint
    from free f
   where l.sink_no = f.sink_no and l.lane = f.lane
  returning l.sink_no, l.lane
)
select m.sink_no, m.lane, m.owner,
       exists (select from held h where h.sink_no = m.sink_no and h.lane = m.lane) as held,
       exists (select from millrace_private.lanes l
                where l.sink_no = m.sink_no and l.lane = m.lane and l.owner = m.owner) as ours
  from mine m
