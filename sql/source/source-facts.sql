select (select d.oid::bigint from pg_catalog.pg_database d where d.datname = current_database()) as database_oid,
       current_setting('server_version_num')::integer as version,
       current_setting('server_encoding') as encoding,
       current_setting('wal_level') as wal_level,
       coalesce(lacking.rolname, current_user)::text as role_name,
       pg_is_in_recovery() as in_recovery,
       -- The control file tells it only after the next checkpoint.
       case when not pg_is_in_recovery()
            then ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer end as timeline,
       case when not pg_is_in_recovery() then pg_current_wal_lsn()::text end as wal_lsn,
       lacking.rolname is null as may_replicate,
       (select extract(epoch from (g.setting || g.unit)::interval) * 1000
          from pg_catalog.pg_settings g where g.name = 'wal_sender_timeout')::float8 as wal_sender_timeout_ms,
       (select g.setting::float8 * 1048576 from pg_catalog.pg_settings g
         where g.name = 'max_slot_wal_keep_size') as keep_bytes,
       -- Unknown where the server does not have it, or our role may not read it.
       (select g.setting from pg_catalog.pg_settings g where g.name = 'output_plugin_libraries') as output_plugin_libraries
  from (values (true)) here
  -- Who logged in opens the stream; whom `alter role ... set role` names makes the slot.
  left join lateral (
       select r.rolname from pg_catalog.pg_roles r
        where r.rolname in (session_user, current_user) and not r.rolreplication and not r.rolsuper
          and not exists (select from pg_catalog.pg_roles g
                           where g.rolname = 'rds_replication' and pg_has_role(r.oid, g.oid, 'member'))
        limit 1) lacking on true
