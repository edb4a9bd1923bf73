select (select s.system_identifier::text from pg_control_system() s) as system_identifier,
       (select d.oid::bigint from pg_catalog.pg_database d where d.datname = current_database()) as database_oid,
       current_setting('server_version_num')::integer as version,
       current_setting('wal_level') as wal_level,
       current_user::text as role_name,
       pg_is_in_recovery() as in_recovery,
       case when pg_is_in_recovery() then (select c.timeline_id from pg_control_checkpoint() c)
            else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer end as timeline,
       case when not pg_is_in_recovery() then pg_current_wal_lsn()::text end as wal_lsn,
       (select r.rolreplication or r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user)
         or exists (select from pg_catalog.pg_roles r
                     where r.rolname = 'rds_replication' and pg_has_role(current_user, r.oid, 'member')) as may_replicate,
       (select extract(epoch from (g.setting || g.unit)::interval) * 1000
          from pg_catalog.pg_settings g where g.name = 'wal_sender_timeout')::float8 as wal_sender_timeout_ms,
       (select g.setting::float8 * 1048576 from pg_catalog.pg_settings g
         where g.name = 'max_slot_wal_keep_size') as keep_bytes,
       current_setting('output_plugin_libraries', true) as output_plugin_libraries
