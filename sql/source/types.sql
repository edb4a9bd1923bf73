-- Describes the types $1 and, recursively, every type that is needed to read their text form.
with recursive needed(oid) as (
  select wanted.oid from unnest($1::oid[]) as wanted(oid)
  union
  select part.oid
  from needed
  join pg_catalog.pg_type as t on t.oid = needed.oid
  cross join lateral (
    select t.typelem as oid where t.typelem <> 0
    union all
    select t.typbasetype where t.typbasetype <> 0
    union all
    select r.rngsubtype from pg_catalog.pg_range as r where t.oid in (r.rngtypid, r.rngmultitypid)
    union all
    select a.atttypid
    from pg_catalog.pg_attribute as a
    where t.typtype = 'c' and a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
  ) as part
)
select
  t.oid::bigint as oid,
  n.nspname::text as schema,
  t.typname::text as name,
  t.typtype::text as typtype,
  t.typcategory::text as category,
  case when t.typsubscript = 'pg_catalog.array_subscript_handler'::regproc then t.typelem else 0 end::bigint
    as element_oid,
  t.typdelim::text as delimiter,
  t.typbasetype::bigint as base_oid,
  coalesce(r.rngsubtype, 0)::bigint as subtype_oid,
  e.extname::text as extension,
  coalesce((
    select json_agg(
      json_build_object('name', a.attname, 'typeOid', a.atttypid::bigint, 'typmod', a.atttypmod) order by a.attnum
    )
    from pg_catalog.pg_attribute as a
    where t.typtype = 'c' and a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
  ), '[]')::text as attributes
from needed
join pg_catalog.pg_type as t on t.oid = needed.oid
join pg_catalog.pg_namespace as n on n.oid = t.typnamespace
left join pg_catalog.pg_range as r on t.oid in (r.rngtypid, r.rngmultitypid)
left join pg_catalog.pg_depend as d
  on d.classid = 'pg_catalog.pg_type'::regclass and d.objid = t.oid and d.deptype = 'e'
  and d.refclassid = 'pg_catalog.pg_extension'::regclass
left join pg_catalog.pg_extension as e on e.oid = d.refobjid
order by t.oid
