-- Those of the kinds in $1 if $2, else all others: a kind that another release knows is among those. $3: one, by its name.
select s.id, s.name, s.kind, d.name as database, d.id as database_id, s.status, s.settings, s.secret,
       s.lanes, s.managed_by, s.declared_from, s.status_by, s.version, s.updated_by,
       s.created_at as inserted_at, s.updated_at,
       t.health, t.level, t.reasons, t.pending::double precision as pending, t.pending_is_estimate,
       t.retrying::double precision as retrying, t.parked::double precision as parked,
       to_char(t.oldest_committed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as oldest_committed_at,
       t.error, t.failing_since, coalesce(t.notices, '[]') as notices,
       coalesce((select jsonb_agg(jsonb_build_object('id', b.id, 'table', b.table_schema || '.' || b.table_name,
                                    'state', case b.state when 'paused' then 'paused' else 'active' end,
                                    'rows_initial_count', b.rows_total, 'rows_processed_count', b.rows_done,
                                    'rows_ingested_count', b.rows_sent) order by b.no)
                   from millrace_private.backfills b
                  where b.sink_no = s.no and b.kind in ('all', 'table') and b.state in ('waiting', 'running', 'paused')),
                '[]') as active_backfills
  from millrace_private.sinks s
  join millrace_private.databases d on d.id = s.database_id
  join millrace.sink_status t on t.sink_name = s.name
 where (s.kind = any ($1::text[])) = $2::boolean
   and ($3::text is null or s.name = $3::text)
 order by s.name collate "C"
