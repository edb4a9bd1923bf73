with leases as (
  delete from millrace_private.leases l where l.sink_no = $1::integer
), group_locks as (
  delete from millrace_private.group_locks k where k.sink_no = $1::integer
), delivery_states as (
  delete from millrace_private.delivery_states x where x.sink_no = $1::integer
), attempts as (
  delete from millrace_private.attempts a where a.sink_no = $1::integer
)
delete from millrace_private.cursor_log c where c.sink_no = $1::integer
