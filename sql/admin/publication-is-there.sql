-- And a slot other than $2 that may be read by it.
select (select s.slot_name::text from pg_replication_slots s
         where s.plugin = 'pgoutput' and s.database = current_database() and s.slot_name <> $2::name and not s.temporary
         order by s.active desc, s.slot_name limit 1) as slot
  from pg_publication p
 where p.pubname = $1::name
