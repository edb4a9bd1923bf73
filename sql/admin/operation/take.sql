-- One that waits, or whose worker is gone. $3: milliseconds; $4: this worker has a verification; $5: its session; $6: the kinds
-- that it knows.
with taken as (
  update millrace_private.operations o
     set state = 'running', owner = $2::text, token = gen_random_uuid(), session = $5::bigint,
         until = clock_timestamp() + $3::integer * interval '1 ms', attempt = o.attempt + 1, reason = null, remedy = null,
         started_at = coalesce(o.started_at, clock_timestamp()), moved_at = clock_timestamp()
   where o.id = $1::uuid and o.state in ('waiting', 'running') and coalesce(o.until < clock_timestamp(), true)
     and not (o.kind = 'verify' and $4::boolean) and o.kind = any ($6::text[])
  returning o.id, o.kind, o.token, o.attempt, o.request, o.kept, o.steps, o.sink_no, o.database_no
)
select t.id, t.kind, t.token, t.attempt, t.request, t.kept, t.steps, t.sink_no, s.name as sink_name, d.name as database_name
  from taken t
  join millrace_private.databases d on d.no = t.database_no
  left join millrace_private.sinks s on s.no = t.sink_no
