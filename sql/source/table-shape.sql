-- Table $1.$2 as somebody sees it who writes a function for its rows: all columns but virtual ones, and the labels of the
-- enums among their types. Reads catalogs alone.
with target as (
  select c.oid
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where n.nspname = $1::name and c.relname = $2::name and c.relkind in ('r', 'p')
), shown as (
  select a.attname, a.attnum, a.atttypid, a.atttypmod, a.attnotnull, y.typelem, y.typbasetype
    from target t
    join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated <> 'v'
    join pg_catalog.pg_type y on y.oid = a.atttypid
)
select t.oid::bigint as oid,
       (select json_agg(json_build_object('name', s.attname, 'typeOid', s.atttypid::bigint, 'typmod', s.atttypmod,
                                          'type', format_type(s.atttypid, s.atttypmod), 'notNull', s.attnotnull,
                                          'keyPlace', array_position((i.indkey::smallint[])[0:i.indnkeyatts - 1], s.attnum))
                        order by s.attnum)
          from shown s
          left join pg_catalog.pg_index i on i.indrelid = t.oid and i.indisprimary) as columns,
       (select json_object_agg(e.enumtypid::bigint, e.labels)
          from (select e.enumtypid, json_agg(e.enumlabel order by e.enumsortorder) as labels
                  from pg_catalog.pg_enum e
                 where e.enumtypid in (select unnest(array[s.atttypid, s.typelem, s.typbasetype]) from shown s)
                 group by e.enumtypid) e) as labels
  from target t
