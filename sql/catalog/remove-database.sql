delete from millrace_private.databases d
 where d.name = $1::text
   and not exists (select from millrace_private.sinks s
                    where s.database_id = d.id
                       or s.kind = 'change_table' and s.settings -> 'destination' ->> 'database' = d.name)
