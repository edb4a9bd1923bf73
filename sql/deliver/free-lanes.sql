-- A row that is locked is being settled, or taken: it is left to the next time. What is freed here was not given back: that
-- is counted as in take_lane.
with lost as materialized (
  select l.sink_no, l.lane
    from millrace_private.lanes l
   where l.owner is not null and l.session = any ($1::bigint[]) and pg_try_advisory_xact_lock_shared(l.session)
     for no key update of l skip locked
)
update millrace_private.lanes l
   set owner = null, until = null, session = null, waiting_since = null, deaths = least(l.deaths + 1, 1000),
       alone_deaths = case when l.alone is not null and coalesce(l.alone_begun, true)
                           then least(l.alone_deaths + 1, 1000) else l.alone_deaths end,
       alone_begun = l.alone_begun and false
  from lost o
 where l.sink_no = o.sink_no and l.lane = o.lane
