select b.id
  from millrace_private.backfills b
  join millrace_private.sinks s on s.no = b.sink_no
 where b.kind = 'replay' and b.state in ('waiting', 'running', 'paused') and not b.replay ? 'after'
   and $1::text in (b.replay ->> 'retention', b.replay ->> 'retention_id') and $2::text in (s.name, s.id::text)
