select s.plugin, s.database = current_database() as here, s.active_pid,
       a.application_name as active_application, s.confirmed_flush_lsn::text as confirmed_flush_lsn, s.wal_status,
       -- Since 17; 16 tells of a standby's conflict alone.
       coalesce(to_jsonb(s) ->> 'invalidation_reason',
                case when (to_jsonb(s) ->> 'conflicting')::boolean then 'conflict' end) as invalidation_reason,
       (case when pg_is_in_recovery() then 0 else pg_current_wal_lsn() - s.restart_lsn end)::float8 as kept_bytes,
       (select json_build_object('gid', p.gid, 'database', p.database) from pg_catalog.pg_prepared_xacts p
         order by p.prepared limit 1) as oldest_prepared,
       -- Since 17: a slot with failover is sent nothing that these do not have.
       (select coalesce(json_agg(json_build_object('slot', n.name, 'isRead', coalesce(p.active, false)) order by n.place), '[]')
          from regexp_split_to_table(current_setting('synchronized_standby_slots', true), '[\s,"]+') with ordinality n (name, place)
          left join pg_catalog.pg_replication_slots p on p.slot_name::text = n.name and p.slot_type = 'physical'
         where n.name <> '' and (to_jsonb(s) ->> 'failover')::boolean) as standbys
  from pg_catalog.pg_replication_slots s
  left join pg_catalog.pg_stat_activity a on a.pid = s.active_pid
 where s.slot_name = $1::name
