-- blocked_by, blocked_by_prepared: who holds a lock of the consumer for longer than two seconds.
create or replace view millrace.consumer_status as
  select s.name as sink_name, s.status,
         n.pending,
         coalesce((select sum(l.remaining) from millrace_private.leases l where l.sink_no = s.no), 0) + x.leased as leased,
         x.retrying, w.held, p.parked, c.visibility_timeout, c.max_ack_pending, c.max_deliver, c.max_per_group,
         least((select min(l.until) from millrace_private.leases l where l.sink_no = s.no),
               (select min(e.due_at) from millrace_private.delivery_states e where e.sink_no = s.no and e.lane = 0)) as next_due_at,
         b.pids as blocked_by,
         n.is_estimate as pending_is_estimate,
         h.level, h.reasons, b.gids as blocked_by_prepared
    from millrace_private.sinks s
    join millrace_private.consumers c on c.sink_no = s.no
    left join (select f.sink_no, max(f.level) as level, max(f.reasons) as reasons
                 from millrace_private.sinks_health(array(select a.sink_no from millrace_private.consumers a)) f
                group by f.sink_no) h on h.sink_no = s.no
    left join lateral (select array_agg(distinct a.pid) filter (where a.pid is not null) as pids,
                              array_agg(distinct t.gid) filter (where t.gid is not null) as gids
                         from pg_locks k
                         join pg_class r on r.oid = k.relation
                         left join pg_stat_activity a on a.pid = k.pid and a.xact_start < clock_timestamp() - interval '2 s'
                         -- One that is prepared has no process, and the same virtual transaction in all its locks, that of its own id too.
                         left join pg_locks i on k.pid is null and i.pid is null and i.locktype = 'transactionid'
                                             and i.mode = 'ExclusiveLock' and i.virtualtransaction = k.virtualtransaction
                         left join pg_prepared_xacts t
                           on t.transaction = i.transactionid and t.prepared < clock_timestamp() - interval '2 s'
                        where k.locktype = 'relation' and k.granted and k.mode <> 'AccessShareLock'
                          and k.database = (select d.oid from pg_database d where d.datname = current_database())
                          and r.relname in ('turn_' || s.no, 'lock_' || s.no)
                          and r.relnamespace = (select w.oid from pg_namespace w where w.nspname = 'millrace_private')) b on true
    left join lateral (select max(k.pending) as pending, bool_or(k.is_estimate) as is_estimate
                         from millrace_private.count_pending(s.no) k) n on true
    left join lateral (select count(*) filter (where e.state = 'leased') as leased,
                              count(*) filter (where e.state = 'retrying') as retrying
                         from millrace_private.delivery_states e where e.sink_no = s.no and e.due_at is not null) x on true
    left join lateral (select count(*) as held from millrace_private.delivery_states e
                        where e.sink_no = s.no and e.due_at is null and e.state <> 'parked') w on true
    left join lateral (select count(*) as parked from millrace_private.delivery_states e
                        where e.sink_no = s.no and e.state = 'parked') p on true;
comment on view millrace.consumer_status is
  'One row for each pull consumer. blocked_by: backends whose open transaction keeps receive waiting (end it, or pg_terminate_backend).';
comment on column millrace.consumer_status.leased is 'Messages that clients have now.';
comment on column millrace.consumer_status.held is 'Messages behind an earlier one of their group.';
comment on column millrace.consumer_status.next_due_at is 'When the next lease ends or the next retry is due.';
comment on column millrace.consumer_status.blocked_by is 'Backends whose open transaction keeps receive waiting.';
comment on column millrace.consumer_status.blocked_by_prepared is
  'Transactions that were prepared (two-phase commit) and keep receive waiting: commit prepared or rollback prepared.';
comment on column millrace.consumer_status.pending_is_estimate is 'As in millrace.sink_status.';
comment on column millrace.consumer_status.level is 'As in millrace.sink_status.';
comment on column millrace.consumer_status.reasons is 'As in millrace.sink_status.';
