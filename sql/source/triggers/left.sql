-- Was what triggers note here left by its reader ($1: what he says of the schema then), and is anything to be removed?
select coalesce(pg_catalog.obj_description(n.oid, 'pg_namespace') = $1::text, false) as is_left,
       exists (select from pg_catalog.pg_proc p
                 join pg_catalog.pg_trigger g on g.tgfoid = p.oid
                where p.pronamespace = n.oid) as has_triggers,
       exists (select from pg_catalog.pg_class c
                where c.relnamespace = n.oid and c.relname like 'changes\_%' and c.relkind = 'r'
                  and pg_catalog.pg_relation_size(c.oid) > 0) as has_changes
  from pg_catalog.pg_namespace n
 where n.nspname = 'millrace_capture'
