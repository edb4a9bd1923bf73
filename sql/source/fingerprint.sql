-- Of the table that has the name now: it is seen when another one has taken it. `lists`: which publications list it, and what they
-- send of its columns and rows, or its schema. `attributes`: of the composite types in its columns. `key_order`: what the order of the
-- primary key depends on, and what its texts mean: its columns by their numbers, their types and collations, labels of enums. (The
-- name is put into this text, never into a comment: it may have a line break.)
select coalesce(md5(string_agg(format('%s %s %s %s', a.attnum, a.atttypid, a.attname, a.attgenerated), ',' order by a.attnum)), '')
         || ' ' || k.key_order || ' ' || $1::oid || ' ' || p.lists || ' ' || s.schemas || ' ' || c.attributes as fingerprint, k.key_order
  from (select coalesce(string_agg(concat_ws(' ', b.attnum, b.atttypid, b.attcollation, e.labels), ',' order by p.place), '') as key_order
          from pg_catalog.pg_index i
         cross join lateral unnest((i.indkey::smallint[])[0:i.indnkeyatts - 1]) with ordinality p (attnum, place)
          join pg_catalog.pg_attribute b on b.attrelid = i.indrelid and b.attnum = p.attnum
          join pg_catalog.pg_type t on t.oid = b.atttypid
         cross join lateral (select md5(string_agg(l.enumlabel, ',' order by l.enumsortorder)) as labels
                               from pg_catalog.pg_enum l where l.enumtypid in (t.oid, t.typbasetype, t.typelem)) e
         where i.indrelid = $1::oid and i.indisprimary) k
 cross join (select md5(coalesce(string_agg(to_jsonb(l)::text, ',' order by l.oid), '')) as lists
                from pg_catalog.pg_publication_rel l where l.prrelid = $1::oid) p
 -- A server before 15 has no such entries, nor the catalog of them: what they depend on is known everywhere.
 cross join (select coalesce(string_agg(d.objid::text, ',' order by d.objid), '') as schemas
                -- A schema may have thousands of tables that depend on it.
                from (select * from pg_catalog.pg_depend e
                       where e.classid = pg_catalog.to_regclass('pg_catalog.pg_publication_namespace') offset 0) d
                join pg_catalog.pg_class t on t.relnamespace = d.refobjid
               where d.refclassid = 'pg_catalog.pg_namespace'::regclass and t.oid = $1::oid) s
 cross join (with recursive inside (oid) as (
               select b.atttypid from pg_catalog.pg_attribute b
                where b.attrelid = $1::oid and b.attnum > 0 and not b.attisdropped and b.atttypid >= 16384
                union
               select part.oid
                 from inside i
                 join pg_catalog.pg_type t on t.oid = i.oid
                cross join lateral (
                      select t.typelem
                       union all select t.typbasetype
                       union all select r.rngsubtype from pg_catalog.pg_range r where t.oid in (r.rngtypid, r.rngmultitypid)
                       union all select b.atttypid from pg_catalog.pg_attribute b
                                  where t.typtype = 'c' and b.attrelid = t.typrelid and b.attnum > 0 and not b.attisdropped) part (oid)
                where part.oid >= 16384)
             select md5(coalesce(string_agg(concat_ws(' ', t.oid, b.attnum, b.atttypid, b.attname), ',' order by t.oid, b.attnum), ''))
                      as attributes
               from inside i
               join pg_catalog.pg_type t on t.oid = i.oid and t.typtype = 'c'
               join pg_catalog.pg_attribute b on b.attrelid = t.typrelid and b.attnum > 0 and not b.attisdropped) c
  left join pg_catalog.pg_attribute a on a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped
 group by k.key_order, p.lists, s.schemas, c.attributes
