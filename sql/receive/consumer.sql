select s.no, s.id::text as id, s.name,
       coalesce((s.settings #>> '{destination,nested}')::boolean, false) as nested,
       (s.settings #>> '{destination,max_waiting}')::integer as max_waiting,
       (s.settings #>> '{destination,visibility_timeout_ms}')::double precision as visibility_timeout_ms
  from millrace_private.sinks s
 where s.receivable and (s.name = $1::text or s.id::text = lower($1::text))
 order by s.name = $1::text desc
 limit 1
