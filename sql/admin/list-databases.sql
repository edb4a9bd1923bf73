-- $1: one, by name or id.
select d.id, d.name, d.hostname, d.address, d.database_name, d.settings, d.managed_by, d.declared_from, d.entry_name,
       d.version, d.updated_by,
       d.created_at as inserted_at, d.updated_at,
       t.level, t.reasons, t.state, t.reason, t.remedy, t.state_since, t.epoch,
       t.commit_lsn::text as commit_lsn, t.confirmed_lsn::text as confirmed_lsn,
       (select case when millrace_private.is_fresh(b.at) then b.lag_ms / 1000 end
          from millrace_private.capture_beats b where b.database_no = d.no order by b.seq desc limit 1) as lag_seconds
  from millrace_private.databases d
  join millrace.database_status t on t.database_name = d.name
 where $1::text is null or d.name = $1::text or d.id::text = $1::text
 order by d.name collate "C"
