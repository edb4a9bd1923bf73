-- What each sink is, and how: of sink_status what can be had of a hundred sinks at once. recent: minutes of the last hour, as
-- minutes ago; latencies: of the newest hour in which something was delivered.
select s.id, s.name, s.kind, d.name as database, s.status, s.status_reason, s.lanes, s.receivable, s.destination_database_id is not null as is_retention,
       i.name as into_database, h.health, h.level, h.reasons, p.pending::double precision as pending,
       p.is_estimate as pending_is_estimate, x.retrying::double precision as retrying, x.parked::double precision as parked,
       x.faulty::double precision as faulty,
       extract(epoch from clock_timestamp() - h.oldest_committed_at)::double precision as oldest_seconds,
       extract(epoch from clock_timestamp() - g.committed_at)::double precision as lag_seconds,
       coalesce(b.error, x.index_error) as error, b.opened_at as failing_since, x.parked_since,
       -- Not the change of another setting: that one was recorded with the change of the status.
       case when s.status <> 'active' then
         (select s.updated_at from millrace_private.audit_log a
           where a.at between s.updated_at and s.updated_at + interval '10 s'
             and a.subject in ('sink ' || s.name, 'change_retention ' || s.name) and a.after ->> 'status' = s.status
           limit 1) end as status_since,
       case when h.reasons && '{behind,nobody_receives}' then h.waiting_since end as waiting_since,
       case when 'not_worked_on' = any (h.reasons)
            then (select min(k.waiting_since) from millrace_private.lanes k where k.sink_no = s.no) end as untaken_since,
       coalesce((select json_agg(json_build_object('code', n.code, 'table', n.table_name, 'message', n.message,
                                                   'remedy', n.remedy, 'since', n.created_at) order by n.created_at)
                   from millrace_private.notices n where n.sink_no = s.no), '[]') as notices,
       r.minutes_ago, r.persisted, r.delivered, r.failed, l.p50_ms, l.p99_ms
  from millrace_private.sinks s
  join millrace_private.databases d on d.id = s.database_id
  left join millrace_private.databases i on i.id = s.destination_database_id
  left join millrace_private.circuits b on b.sink_no = s.no
 cross join lateral millrace_private.count_states(s.no) x
  join millrace_private.sinks_health(array(select a.no from millrace_private.sinks a)) h on h.sink_no = s.no
  left join millrace_private.sinks_lag(array(select a.no from millrace_private.sinks a)) g on g.sink_no = s.no
 cross join lateral millrace_private.glance_pending(s.no, x.parked) p
  left join lateral (select array_agg(a.minutes) as minutes_ago,
                            array_agg(c.persisted::double precision) as persisted,
                            array_agg(c.delivered::double precision) as delivered,
                            array_agg(c.failed::double precision) as failed
                       from millrace_private.sink_counters c
                      cross join lateral (select floor(extract(epoch from clock_timestamp() - c.at) / 60)::integer as minutes) a
                      where c.sink_no = s.no and c.step = 'minute' and c.at > clock_timestamp() - interval '61 min') r on true
  left join lateral (select millrace_private.latency_share(c.latency, 0.5) as p50_ms,
                            millrace_private.latency_share(c.latency, 0.99) as p99_ms
                       from millrace_private.sink_counters c
                      where c.sink_no = s.no and c.step = 'hour' and c.at > clock_timestamp() - interval '2 h' and c.delivered > 0
                      order by c.at desc limit 1) l on true
 order by s.name collate "C"
