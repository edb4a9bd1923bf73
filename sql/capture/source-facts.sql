select (select s.system_identifier::text from pg_control_system() s) as system_identifier,
       (select c.timeline_id from pg_control_checkpoint() c) as timeline,
       (select d.oid::bigint from pg_catalog.pg_database d where d.datname = current_database()) as database_oid,
       current_setting('server_version_num')::integer as version,
       current_setting('wal_level') as wal_level,
       pg_is_in_recovery() as in_recovery,
       (select r.rolreplication or r.rolsuper from pg_catalog.pg_roles r where r.rolname = current_user) as may_replicate,
       (select extract(epoch from s.setting::interval) * 1000
          from (select g.setting || g.unit as setting from pg_catalog.pg_settings g where g.name = 'wal_sender_timeout') s)::float8
         as wal_sender_timeout_ms
