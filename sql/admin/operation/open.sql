select o.id
  from millrace_private.operations o
 where o.state in ('waiting', 'running') and coalesce(o.until < clock_timestamp(), true)
 order by o.created_at
 limit 100
