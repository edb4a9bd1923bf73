select current_user::text as role,
       (select n.nspname::text from pg_catalog.pg_extension e
          join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_partman') as schema,
       split_part(coalesce(
         (select e.extversion from pg_catalog.pg_extension e where e.extname = 'pg_partman'),
         (select a.default_version from pg_catalog.pg_available_extensions a where a.name = 'pg_partman')), '.', 1)::integer as major,
       (select c.relkind::text from pg_catalog.pg_class c
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where n.nspname = $1::text and c.relname = $2::text) as kind
