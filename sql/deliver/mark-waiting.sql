-- There is work and no owner: since when is remembered until the lane is given back. A row that is locked has one.
with left_alone as materialized (
  select l.sink_no, l.lane
    from unnest($1::integer[], $2::smallint[]) as w (sink_no, lane)
    join millrace_private.lanes l on l.sink_no = w.sink_no and l.lane = w.lane
   where l.waiting_since is null and (l.owner is null or l.until < clock_timestamp())
     for no key update of l skip locked
)
update millrace_private.lanes l
   set waiting_since = clock_timestamp()
  from left_alone a
 where l.sink_no = a.sink_no and l.lane = a.lane
