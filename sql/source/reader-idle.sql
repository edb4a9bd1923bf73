-- Does nobody read slot $1, or does whoever sends what it has wait for something to send, or to be read? He answers questions then.
select coalesce((
  select s.active_pid is null or coalesce(lower(a.wait_event) in ('walsendermain', 'walsenderwaitforwal', 'walsenderwritedata'), false)
    from pg_catalog.pg_replication_slots s
    left join pg_catalog.pg_stat_activity a on a.pid = s.active_pid
   where s.slot_name = $1::name), true) as idle
