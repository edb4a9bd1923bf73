-- What is changed in its transaction is recorded in the name of who asked for it.
select o.id, set_config('millrace.actor', o.requested_by, true)
  from millrace_private.operations o
 where o.id = $1::uuid and o.token = $2::uuid and o.state = 'running'
   for update
