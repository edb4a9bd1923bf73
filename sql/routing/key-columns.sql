-- The type is a domain's base type: a cast to the domain would run its checks, which are functions of its owner.
select i.indrelid::bigint as oid, a.attname as name, pg_catalog.format_type(b.oid, b.typmod) as type,
       -- The operator of the key's index, and its schema: one of an extension is in no path of ours.
       coalesce(o.schema, 'pg_catalog') as operators, coalesce(o.name, '=') as equals,
       -- Operators of any enum, range or composite take no domain of one.
       b.oid <> a.atttypid and b.kind in ('c', 'e', 'm', 'r') as cast,
       not i.indimmediate as deferrable
  from pg_catalog.pg_index i
 cross join lateral unnest((i.indkey::smallint[])[0:i.indnkeyatts - 1]) with ordinality k (attnum, place)
  join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
 cross join lateral (
       with recursive base as (
         select a.atttypid as oid, a.atttypmod as typmod
         union all
         select t.typbasetype, t.typtypmod from base b join pg_catalog.pg_type t on t.oid = b.oid where t.typtype = 'd')
       select b.oid, b.typmod, t.typtype as kind from base b join pg_catalog.pg_type t on t.oid = b.oid where t.typtype <> 'd') b
  left join lateral (
       select n.nspname as schema, o.oprname as name
         from pg_catalog.pg_opclass c
         join pg_catalog.pg_amop s on s.amopfamily = c.opcfamily and s.amoplefttype = c.opcintype
                                  and s.amoprighttype = c.opcintype and s.amopstrategy = 3
         join pg_catalog.pg_operator o on o.oid = s.amopopr
         join pg_catalog.pg_namespace n on n.oid = o.oprnamespace
        where c.oid = i.indclass[(k.place - 1)::integer] and c.opcmethod = 403) o on true
 where i.indrelid = any ($1::oid[]) and i.indisprimary
 order by i.indrelid, k.place
