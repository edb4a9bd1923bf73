select case when current_setting('synchronous_standby_names') <> '' then pg_current_xact_id()::xid::text end as xid
