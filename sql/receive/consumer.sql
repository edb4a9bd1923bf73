select s.no, s.id::text as id, s.name,
       s.settings #>> '{destination,type}' = 'sequin_stream' as nested,
       (s.settings #>> '{destination,max_waiting}')::integer as max_waiting,
       (s.settings #>> '{destination,visibility_timeout_ms}')::double precision as visibility_timeout_ms
  from millrace_private.sinks s
 where s.kind = 'pull' and (s.name = $1::text or s.id::text = lower($1::text))
 order by s.name = $1::text desc
 limit 1
