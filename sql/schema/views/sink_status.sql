-- Health is decided by sinks_health, for /healthz and the metrics too, and read once for all sinks. What is not asked for costs
-- nothing: each figure is a join of its own that gives exactly one row. Messages that failed are counted as in count_states.
create or replace view millrace.sink_status as
  select s.name as sink_name, s.kind, d.name as database_name, s.status,
         h.health,
         c.pending,
         r.retrying + w.held as retrying, p.parked,
         h.oldest_committed_at,
         coalesce(b.error, x.error) as error, b.opened_at as failing_since, b.probe_at as next_probe_at,
         (select json_agg(json_build_object('code', n.code, 'table', n.table_name, 'message', n.message,
                                            'remedy', n.remedy, 'since', n.created_at) order by n.created_at)
            from millrace_private.notices n where n.sink_no = s.no) as notices,
         c.is_estimate as pending_is_estimate,
         h.level, h.reasons
    from millrace_private.sinks s
    join millrace_private.databases d on d.id = s.database_id
    left join millrace_private.circuits b on b.sink_no = s.no
    left join (select f.sink_no, max(f.health) as health, max(f.level) as level, max(f.reasons) as reasons,
                      max(f.oldest_committed_at) as oldest_committed_at
                 from millrace_private.sinks_health(array(select a.no from millrace_private.sinks a)) f
                group by f.sink_no) h on h.sink_no = s.no
    left join lateral (select max(n.pending) as pending, bool_or(n.is_estimate) as is_estimate
                         from millrace_private.count_pending(s.no) n) c on true
    left join lateral (select count(*) as retrying from millrace_private.delivery_states e
                        where e.sink_no = s.no and e.due_at is not null and e.state = 'retrying') r on true
    left join lateral (select count(*) as held from millrace_private.delivery_states e
                        where e.sink_no = s.no and e.due_at is null and e.state <> 'parked') w on true
    left join lateral (select count(*) as parked from millrace_private.delivery_states e
                        where e.sink_no = s.no and e.state = 'parked') p on true
    left join lateral (select max(e.error) as error from millrace_private.delivery_states e
                        where e.sink_no = s.no and e.state = 'retrying' and e.stage = 'index') x on true;
comment on view millrace.sink_status is
  'One row for each sink: its health (level, and the reasons for it), how many messages wait, since when it fails and with what answer, and its notices with their remedies.';
comment on column millrace.sink_status.health is
  'ok, or the first reason for which nothing is delivered or nobody knows: an open circuit''s, source_<state>, routed_index_failing (error says which), no_worker, not_worked_on; paused or disabled.';
comment on column millrace.sink_status.pending is 'Messages that are not settled, without the parked ones.';
comment on column millrace.sink_status.retrying is 'Of them: backing off, or held behind one that does.';
comment on column millrace.sink_status.parked is 'Messages that failed for good: see millrace.parked_messages.';
comment on column millrace.sink_status.oldest_committed_at is 'Commit time of the oldest message.';
comment on column millrace.sink_status.error is 'The destination''s own answer while the circuit is open.';
comment on column millrace.sink_status.failing_since is 'When the circuit opened.';
comment on column millrace.sink_status.next_probe_at is 'When the destination is asked again.';
comment on column millrace.sink_status.notices is 'Warnings with their remedies: code, table, message, remedy, since.';
comment on column millrace.sink_status.pending_is_estimate is
  'More than 100,000 messages: pending is Postgres'' own count of the rows, some per cent off at times.';
comment on column millrace.sink_status.level is
  'ok, warning (it works, but somebody should look), unknown (nobody says) or failing; as in /healthz.';
comment on column millrace.sink_status.reasons is
  'Codes of all that is known to be wrong, the worst first: see docs/operations.md, Health.';
