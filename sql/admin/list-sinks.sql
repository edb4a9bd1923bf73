-- Those of the kinds in $1 if $2, else all others: a kind that another release knows is among those. $3: one, by its id, whose
-- messages are counted; those of all are glanced at. Where Postgres' own count of the rows says that they are many more than would be
-- counted, that is the answer, as it would be after the count. Otherwise as in millrace.sink_status.
select s.id, s.name, s.kind, d.name as database, d.id as database_id, s.status, s.settings, s.secret,
       s.lanes, s.managed_by, s.declared_from, s.entry_name, s.status_by, s.status_reason, s.version, s.updated_by,
       s.created_at as inserted_at, s.updated_at,
       h.health, h.level, h.reasons, p.pending::double precision as pending, p.is_estimate as pending_is_estimate,
       x.retrying::double precision as retrying, x.parked::double precision as parked,
       x.faulty::double precision as faulty,
       to_char(h.oldest_committed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as oldest_committed_at,
       extract(epoch from clock_timestamp() - h.oldest_committed_at)::double precision as oldest_seconds,
       extract(epoch from clock_timestamp() - g.committed_at)::double precision as lag_seconds,
       y.first_delivered_at, y.last_delivered_at, y.last_delivery_ms,
       coalesce(b.error, x.index_error) as error, b.opened_at as failing_since, b.probe_at as next_probe_at,
       coalesce((select json_agg(json_build_object('code', n.code, 'table', n.table_name, 'message', n.message,
                                                   'remedy', n.remedy, 'since', n.created_at) order by n.created_at)
                   from millrace_private.notices n where n.sink_no = s.no), '[]') as notices,
       coalesce((select jsonb_agg(jsonb_build_object('id', b.id, 'table', b.table_schema || '.' || b.table_name,
                                    'state', case b.state when 'paused' then 'paused' else 'active' end,
                                    'rows_initial_count', b.rows_total, 'rows_processed_count', b.rows_done,
                                    'rows_ingested_count', b.rows_sent) order by b.no)
                   from millrace_private.backfills b
                  where b.sink_no = s.no and b.kind in ('all', 'table') and b.state in ('waiting', 'running', 'paused')),
                '[]') as active_backfills
  from millrace_private.sinks s
  join millrace_private.databases d on d.id = s.database_id
  left join millrace_private.circuits b on b.sink_no = s.no
 cross join lateral millrace_private.count_states(s.no) x
  join millrace_private.sinks_health(
         array(select a.no from millrace_private.sinks a where $3::uuid is null or a.id = $3::uuid)) h on h.sink_no = s.no
  left join millrace_private.sinks_lag(
         array(select a.no from millrace_private.sinks a where $3::uuid is null or a.id = $3::uuid)) g on g.sink_no = s.no
  left join millrace_private.sink_totals y on y.sink_no = s.no
 cross join lateral (select coalesce(pg_catalog.pg_stat_get_live_tuples(to_regclass('millrace_private.messages_' || s.no)), 0) - x.parked as waiting) v
 cross join lateral (select g.pending, g.is_estimate from millrace_private.glance_pending(s.no, x.parked) g where $3::uuid is null
                     union all
                     select v.waiting, true where $3::uuid is not null and v.waiting > 200000
                     union all
                     select c.pending, c.is_estimate from millrace_private.count_pending(s.no) c
                      where $3::uuid is not null and v.waiting <= 200000) p
 where (s.kind = any ($1::text[])) = $2::boolean
   and ($3::uuid is null or s.id = $3::uuid)
 order by s.name collate "C"
