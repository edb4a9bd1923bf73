select (select coalesce(string_agg(a.pid::text, ', ' order by a.xact_start), '')
          from pg_catalog.pg_stat_activity a
         where a.backend_xid is not null and a.pid <> pg_backend_pid()) as pids,
       (select coalesce(string_agg(quote_literal(p.gid), ', ' order by p.prepared), '')
          from pg_catalog.pg_prepared_xacts p) as prepared
