delete from millrace_private.databases d
 where d.name = $1::text
   and not exists (select from millrace_private.sinks s
                    where d.id in (s.database_id, s.destination_database_id))
