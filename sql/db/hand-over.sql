-- What the superuser made in this database becomes the role's: earlier releases connected as the superuser. What belongs to
-- Postgres or to an extension stays as it is.
do $$
declare
  v_owner constant text := pg_catalog.current_setting('millrace.owner');
  v_statement text;
begin
  for v_statement in
    with own (oid) as (select r.oid from pg_catalog.pg_roles r where r.rolname = current_user),
    spaces as (
      select n.oid, n.nspname, n.nspowner from pg_catalog.pg_namespace n
       where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
         and not exists (select from pg_catalog.pg_depend d where d.objid = n.oid and d.deptype = 'e')
    )
    select pg_catalog.format('alter schema %I owner to %I', n.nspname, v_owner)
      from spaces n where n.nspowner = (select o.oid from own o)
    union all
    select pg_catalog.format('alter %s %I.%I owner to %I',
                             case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence'
                                            else 'table' end, n.nspname, c.relname, v_owner)
      from pg_catalog.pg_class c join spaces n on n.oid = c.relnamespace
     where c.relowner = (select o.oid from own o) and c.relkind in ('r', 'p', 'v', 'm', 'S')
       -- A sequence of a column goes with its table.
       and not exists (select from pg_catalog.pg_depend d
                        where d.classid = 'pg_catalog.pg_class'::regclass and d.objid = c.oid
                          and (d.deptype = 'e' or (c.relkind = 'S' and d.deptype in ('a', 'i'))))
    union all
    select pg_catalog.format('alter routine %s owner to %I', p.oid::regprocedure, v_owner)
      from pg_catalog.pg_proc p join spaces n on n.oid = p.pronamespace
     where p.proowner = (select o.oid from own o)
       and not exists (select from pg_catalog.pg_depend d where d.objid = p.oid and d.deptype = 'e')
    union all
    select pg_catalog.format('alter type %s owner to %I', t.oid::regtype, v_owner)
      from pg_catalog.pg_type t join spaces n on n.oid = t.typnamespace
      left join pg_catalog.pg_class c on c.oid = t.typrelid
     where t.typowner = (select o.oid from own o) and (t.typtype in ('d', 'e', 'r') or c.relkind = 'c')
       and not exists (select from pg_catalog.pg_depend d where d.objid = t.oid and d.deptype = 'e')
    union all
    select pg_catalog.format('alter publication %I owner to %I', p.pubname, v_owner)
      from pg_catalog.pg_publication p where p.pubowner = (select o.oid from own o) and not p.puballtables
  loop
    execute v_statement;
  end loop;
end
$$
