select current_setting('server_version_num')::integer as version,
       current_setting('server_version') as version_name,
       current_setting('fsync')::boolean as fsync,
       current_setting('full_page_writes')::boolean as full_page_writes,
       current_setting('server_encoding') as encoding,
       current_setting('max_connections')::integer as max_connections,
       session_user::text as role, current_database()::text as database,
       has_database_privilege(current_database(), 'create')
         or (select count(*) = 2 and bool_and(has_schema_privilege(n.oid, 'create'))
               from pg_catalog.pg_namespace n where n.nspname in ('millrace', 'millrace_private')) as may_create,
       coalesce((select json_agg(json_build_object('application', o.application_name, 'connections', o.connections)
                                 order by o.connections desc, o.application_name)
                   from (select a.application_name, count(*) as connections from pg_catalog.pg_stat_activity a
                          where a.application_name like 'millrace%' group by a.application_name limit 20) o), '[]') as ours,
       (extract(epoch from clock_timestamp()) * 1000)::float8 as clock_ms,
       coalesce((select json_agg(json_build_object('pid', o.pid, 'gid', o.gid, 'application', o.application,
                                                   'seconds', extract(epoch from clock_timestamp() - o.since))
                                 order by o.since)
                   from (select a.pid, null::text as gid, a.application_name as application, a.xact_start as since
                           from pg_catalog.pg_stat_activity a
                          where a.datname = current_database() and a.backend_xmin is not null
                            and a.xact_start < clock_timestamp() - interval '15 min'
                            and a.backend_type = 'client backend'
                         union all
                         select null, p.gid, null, p.prepared
                           from pg_catalog.pg_prepared_xacts p
                          where p.database = current_database()
                            and p.prepared < clock_timestamp() - interval '15 min') o), '[]') as old_snapshots
