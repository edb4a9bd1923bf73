select current_database()::text as database,
       current_user::text as role,
       exists (select from pg_catalog.pg_extension e where e.extname = 'pg_cron') as installed,
       -- Hidden from those who may not see it, and absent when the library is not loaded.
       (select s.setting from pg_catalog.pg_settings s where s.name = 'cron.database_name') as cron_database
