-- State and health are decided by database_health, for /healthz and the metrics too.
create or replace view millrace.database_status as
  select d.name as database_name, h.state, h.reason, h.remedy, h.since as state_since,
         p.epoch, p.slot_name, l.commit_lsn, l.confirmed_lsn, h.level, h.reasons
    from millrace_private.databases d
    left join millrace_private.positions p on p.database_no = d.no
    left join lateral (select g.commit_lsn, g.confirmed_lsn from millrace_private.position_log g
                        where g.database_no = d.no order by g.seq desc limit 1) l on true
   cross join lateral millrace_private.database_health(d.no) h;
comment on view millrace.database_status is 'One row for each database: is it captured, and if not, why and what to do.';
comment on column millrace.database_status.state is
  'starting, streaming, standby, error, needs_resync, table_detached or unknown (no capture process has reported for 15 s); null: no sink reads from it.';
comment on column millrace.database_status.reason is 'Why it is in this state.';
comment on column millrace.database_status.remedy is 'What to run to fix it.';
comment on column millrace.database_status.epoch is 'A stretch of history without a gap; millrace.accept_gap begins a new one.';
comment on column millrace.database_status.commit_lsn is 'The last transaction whose changes are kept here.';
comment on column millrace.database_status.confirmed_lsn is 'Up to here the source need not keep its WAL for this slot.';
comment on column millrace.database_status.level is
  'ok, warning (it is captured, but somebody should look), unknown or failing; as in /healthz.';
comment on column millrace.database_status.reasons is
  'Codes of all that is known to be wrong, the worst first: see docs/operations.md, Sources.';
