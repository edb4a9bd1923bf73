-- `failover` by way of JSON: servers before 17 do not have the column. (What pg_stat_activity says of another role's session may be
-- hidden, also that it is a walsender.)
select current_setting('max_replication_slots')::integer as max_slots,
       (select count(*)::integer from pg_catalog.pg_replication_slots) as slots,
       coalesce((select array_agg(s.slot_name::text order by s.slot_name) from pg_catalog.pg_replication_slots s
                  where not s.active and s.slot_name <> $1::name), '{}') as idle_slots,
       current_setting('max_connections')::integer as max_connections,
       current_setting('max_wal_senders')::integer as max_senders,
       (select count(*)::integer from pg_catalog.pg_stat_get_wal_senders()) as senders,
       (select (to_jsonb(s) ->> 'failover')::boolean from pg_catalog.pg_replication_slots s
         where s.slot_name = $1::name) as failover
