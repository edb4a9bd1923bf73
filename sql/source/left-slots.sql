-- Slots that nobody reads any more, as far as they are there.
select s.slot_name as name
  from pg_catalog.pg_replication_slots s
 where s.slot_name = any ($1::name[]) and s.slot_name <> $2::name and s.plugin = 'pgoutput' and s.active_pid is null
   and s.database = current_database()
 order by s.slot_name
