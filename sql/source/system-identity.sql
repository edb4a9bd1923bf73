select s.system_identifier::text as "systemIdentifier", c.timeline_id as timeline
  from pg_catalog.pg_control_system() s cross join pg_catalog.pg_control_checkpoint() c
