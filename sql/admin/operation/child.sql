-- The last verification that an operation has had of a sink.
select o.id, o.state, o.reason, o.remedy, o.lines, o.result
  from millrace_private.operations o
 where o.parent_id = $1::uuid and o.sink_no = $2::integer
 order by o.created_at desc, o.id
 limit 1
