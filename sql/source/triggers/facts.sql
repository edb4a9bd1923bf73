-- How the changes of tables $1 are noted, and what has triggers of ours that are not theirs. Reads catalogs alone: nobody's lock
-- is waited for. There may be tens of thousands: what is known of their parts is grouped once.
--
-- A partition that was made later has the row trigger by itself, but not the one for TRUNCATE, which no partition inherits.
with recursive wanted as (
  select c.oid from pg_catalog.pg_class c where c.oid = any ($1::oid[])
), tree (root, oid) as (
  select w.oid, w.oid from wanted w
  union
  select t.root, i.inhrelid
    from tree t
    join pg_catalog.pg_inherits i on i.inhparent = t.oid
    join pg_catalog.pg_class c on c.oid = i.inhrelid and c.relispartition
), ours as materialized (
  select g.tgrelid, g.tgname, g.tgenabled::text as enabled, g.tgparentid <> 0 as cloned, p.proname::text as function,
         (g.tgtype & 32) <> 0 as on_truncate
    from pg_catalog.pg_namespace n
    join pg_catalog.pg_proc p on p.pronamespace = n.oid
    join pg_catalog.pg_trigger g on g.tgfoid = p.oid
   where n.nspname = 'millrace_capture'
), part as (
  select t.root, t.oid, c.relkind, format('%I.%I', n.nspname, c.relname) as name, r.enabled as on_rows, u.enabled as on_truncate
    from tree t
    join pg_catalog.pg_class c on c.oid = t.oid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join ours r on r.tgrelid = t.oid and not r.on_truncate and r.function = 'table_' || t.root
    left join ours u on u.tgrelid = t.oid and u.on_truncate and u.function = 'table_' || t.root
), noted as (
  select p.root as oid, max(p.on_rows) filter (where p.oid = p.root) as row_trigger,
         coalesce(array_agg(p.name order by p.name) filter (where p.relkind in ('r', 'p') and p.on_rows is null), '{}') as without,
         coalesce(array_agg(p.name order by p.name) filter (where p.on_rows <> 'A'), '{}') as not_always,
         coalesce(array_agg(p.name order by p.name)
                    filter (where (p.relkind = 'r' or p.oid = p.root) and p.on_truncate is null), '{}') as without_truncate,
         coalesce(array_agg(p.name order by p.name) filter (where p.on_truncate <> 'A'), '{}') as truncate_not_always,
         (array['D', 'R', 'O', 'A'])[least(min(pg_catalog.strpos('DROA', p.on_rows)),
                                           min(pg_catalog.strpos('DROA', p.on_truncate)))] as least,
         coalesce(array_agg(p.oid::bigint order by p.oid) filter (where p.relkind = 'r'), '{}') as stores
    from part p
   group by p.root
), stray as (
  select o.tgrelid as oid, array_agg(o.tgname::text order by o.tgname) as triggers
    from ours o
   where not o.cloned
     and not exists (select from tree t where t.oid = o.tgrelid and 'table_' || t.root = o.function)
   group by o.tgrelid
), made as (
  select p.proname::text as function, substring(p.prosrc from '^ -- (\w+)') as mark
    from pg_catalog.pg_namespace n
    join pg_catalog.pg_proc p on p.pronamespace = n.oid
   where n.nspname = 'millrace_capture'
)
select c.oid::bigint as oid, n.nspname as schema, c.relname as name, d.oid is not null as listed,
       pg_has_role(current_user, c.relowner, 'usage') as mine, d.row_trigger, coalesce(d.without, '{}') as without,
       coalesce(d.not_always, '{}') as not_always, coalesce(d.without_truncate, '{}') as without_truncate,
       coalesce(d.truncate_not_always, '{}') as truncate_not_always, d.least, coalesce(d.stores, '{}') as stores,
       coalesce(s.triggers, '{}') as stray, m.mark
  from noted d
  full join stray s on s.oid = d.oid
  join pg_catalog.pg_class c on c.oid = coalesce(d.oid, s.oid)
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  left join made m on m.function = 'table_' || d.oid
 order by n.nspname, c.relname
