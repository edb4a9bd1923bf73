-- Those of the kinds in $1 if $2, else all others: a kind that another release knows is among those. $3: one, by its name.
select s.id, s.name, s.kind, d.name as database, d.id as database_id, s.status, s.settings, s.secret,
       s.lanes, s.managed_by, s.declared_from, s.status_by, s.version, s.updated_by,
       s.created_at as inserted_at, s.updated_at,
       t.health, t.level, t.reasons, t.pending::double precision as pending, t.pending_is_estimate,
       t.retrying::double precision as retrying, t.parked::double precision as parked,
       to_char(t.oldest_committed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as oldest_committed_at,
       t.error, t.failing_since, coalesce(t.notices, '[]') as notices
  from millrace_private.sinks s
  join millrace_private.databases d on d.id = s.database_id
  join millrace.sink_status t on t.sink_name = s.name
 where (s.kind = any ($1::text[])) = $2::boolean
   and ($3::text is null or s.name = $3::text)
 order by s.name collate "C"
