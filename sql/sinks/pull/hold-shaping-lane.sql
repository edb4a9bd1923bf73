select from millrace_private.lanes l where l.sink_no = $1::integer and l.lane = 1 for no key update
