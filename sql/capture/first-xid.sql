-- clock_ms: the source's clock, in milliseconds.
select case when current_setting('synchronous_standby_names') <> '' then pg_current_xact_id()::xid::text end as xid,
       (extract(epoch from clock_timestamp()) * 1000)::double precision as clock_ms
