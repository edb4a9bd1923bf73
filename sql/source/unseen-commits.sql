-- Whose commit is in the WAL, and waits: a backend that a synchronous standby keeps waiting, as far as Postgres shows other roles'
-- sessions to ours; and whoever holds transaction $1 (of 32 bits, as the stream has it; null: none), which every role is shown.
select w.pid, w.since, current_setting('synchronous_standby_names') as standbys
  from (select a.pid, coalesce(a.query_start, a.xact_start, a.backend_start)::text as since
          from pg_catalog.pg_stat_activity a
         where a.wait_event_type = 'IPC' and a.wait_event = 'SyncRep'
         union
        select l.pid, 'transaction ' || $1::bigint::text
          from pg_catalog.pg_locks l
         where l.locktype = 'transactionid' and l.granted and l.mode = 'ExclusiveLock'
           and l.transactionid::text = $1::bigint::text) w
 order by w.pid
