-- What there is of schema millrace_capture; nothing: no such schema. handover: statements that give our role whatever of it is not
-- its own. The table that is written to comes before its partitions, so that whoever writes is waited for once, holding nothing of it.
with thing as (
  select 0 as turn, n.nspowner as owner, 'schema millrace_capture' as name
    from pg_catalog.pg_namespace n
   where n.nspname = 'millrace_capture'
  union all
  select case when c.relispartition then 2 else 1 end, c.relowner,
         format('%s millrace_capture.%I',
                case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence'
                               when 'f' then 'foreign table' else 'table' end, c.relname)
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where n.nspname = 'millrace_capture' and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
     and not exists (select from pg_catalog.pg_depend d  -- A column's sequence goes with its table.
                      where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = c.oid and c.relkind = 'S'
                        and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjsubid > 0)
  union all
  select 3, p.proowner,
         format('routine millrace_capture.%I(%s)', p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid))
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
   where n.nspname = 'millrace_capture' and p.prokind in ('f', 'p')
), foreign_thing as (
  select t.*, format('alter %s owner to %I', t.name, current_user) as handover
    from thing t
   where not pg_has_role(current_user, t.owner, 'usage')
)
select (select pg_catalog.pg_get_userbyid(f.owner)::text from foreign_thing f order by f.turn, f.name limit 1) as foreign_owner,
       array(select f.handover from foreign_thing f order by f.turn, f.name) as handover,
       exists (select from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relname = 'about' and c.relkind = 'r') as made,
       exists (select from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relname = 'reader' and c.relkind = 'r') as outdated
  from pg_catalog.pg_namespace n
 where n.nspname = 'millrace_capture'
