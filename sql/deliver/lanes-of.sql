select l.lane from millrace_private.lanes l where l.sink_no = $1::integer order by l.lane
