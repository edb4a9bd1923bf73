-- Which of the messages $2 the pull API gives as a member `data`: those that were shaped, and all of a consumer that answers as Sequin does.
select m.id
  from millrace_private.messages m
  join millrace_private.sinks s on s.no = m.sink_no
 where m.sink_no = millrace_private.consumer_no($1::text) and m.lane = 0 and m.id = any ($2::bigint[])
   and (m.payload is not null or (s.settings #>> '{destination,nested}')::boolean)
