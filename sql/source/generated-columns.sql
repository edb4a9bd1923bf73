-- Stored generated columns that a server before 18 never sends, of the tables $2: can they be computed from a row's own
-- values, and if not, why. The publication $1 says which columns may be seen.
--
-- An expression is computed with our rights. So nothing of it may be anybody's but Postgres' own: initdb made what is below
-- 16384 (FirstNormalObjectId). An enum has no functions of its own, a domain is taken for its base type. What built-in
-- functions find by themselves, the operators of an array's elements for one, is Postgres' own if the types of the columns are.
-- An expression is computed from its text, and whoever owns an enum can give it casts later: none may be cast in it.
--
-- Reads catalogs only, and opens no table: whoever has it locked is not waited for.
with recursive wanted as (
  select c.oid, c.relkind
    from pg_catalog.pg_class c
   where c.oid = any ($2::oid[]) and c.relkind in ('r', 'p')
     and current_setting('server_version_num')::integer < 180000
), tree (root, oid) as (
  select w.oid, w.oid from wanted w
  union
  select t.root, i.inhrelid
    from tree t
    join pg_catalog.pg_inherits i on i.inhparent = t.oid
    join pg_catalog.pg_class c on c.oid = i.inhrelid and c.relispartition
), expression as (
  select t.root, a.attrelid, a.attnum, a.attname, a.atttypid, a.atttypmod, d.oid, d.adbin, d.xmin
    from tree t
    join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attgenerated = 's' and not a.attisdropped
    join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
), leaf as (
  -- Of partitions and their tables: the expression with the names of columns for their numbers.
  select e.root, e.attrelid, e.attname,
         (select string_agg(regexp_replace(case when p.n = 1 then p.part
                                                else (select quote_ident(a.attname) from pg_catalog.pg_attribute a
                                                       where a.attrelid = e.attrelid
                                                         and a.attnum = substring(p.part from '^-?\d+')::smallint)
                                                     || substring(p.part from '^-?\d+(.*)$') end,
                                           ':location -?\d+', '', 'g'), ' ' order by p.n)
            from regexp_split_to_table(e.adbin::text, ':(?:varattno|varattnosyn|varoattno) ') with ordinality p (part, n)) as text
    from expression e
    join wanted w on w.oid = e.root and w.relkind = 'p'
), typed as (
  -- Each column with its base type, and whether that type runs nobody's code.
  select a.attrelid, a.attnum, a.attname, b.oid as type_oid, b.typmod, a.attcollation,
         t.oid < 16384 or t.typtype = 'e' or coalesce(el.typtype = 'e', false) as is_plain, t.typcollation
    from wanted w
    join pg_catalog.pg_attribute a on a.attrelid = w.oid and a.attnum > 0 and not a.attisdropped
   cross join lateral (
         with recursive base as (
           select a.atttypid as oid, a.atttypmod as typmod
           union all
           select t.typbasetype, t.typtypmod from base b join pg_catalog.pg_type t on t.oid = b.oid where t.typtype = 'd')
         select b.oid, b.typmod from base b join pg_catalog.pg_type t on t.oid = b.oid where t.typtype <> 'd') b
    join pg_catalog.pg_type t on t.oid = b.oid
    left join pg_catalog.pg_type el on el.oid = t.typelem and el.typarray = t.oid
), needed as (
  -- Before 15 it is the column that depends on what its expression needs.
  select e.oid as expression, p.refclassid, p.refobjid, p.refobjsubid
    from expression e
    join pg_catalog.pg_depend p
      on (p.classid = 'pg_catalog.pg_attrdef'::regclass and p.objid = e.oid)
      or (p.classid = 'pg_catalog.pg_class'::regclass and p.objid = e.attrelid and p.objsubid = e.attnum)
   where e.attrelid = e.root
)
select e.attrelid::bigint as oid, e.attname as name, e.oid::bigint as expression,
       e.atttypid::bigint as "typeOid", e.atttypmod as typmod, format_type(e.atttypid, e.atttypmod) as type,
       -- A transaction that is not long ago, as the stream counts them: ids run in a circle.
       case when age(e.xmin) between 0 and 1000000000 then e.xmin::text::bigint end as since,
       coalesce(e.attnum = any ((k.indkey::smallint[])[0:k.indnkeyatts - 1]), false) as "inKey",
       coalesce(e.attnum = any ((i.indkey::smallint[])[0:i.indnkeyatts - 1]), false) as "inIndex",
       coalesce((select json_agg(json_build_object(
                          'name', c.attname, 'type', format_type(c.type_oid, c.typmod),
                          'collation', case when c.attcollation <> c.typcollation
                                            then (select format('%I.%I', n.nspname, l.collname)
                                                    from pg_catalog.pg_collation l
                                                    join pg_catalog.pg_namespace n on n.oid = l.collnamespace
                                                   where l.oid = c.attcollation) end) order by c.attnum)
                   from typed c
                  where c.attrelid = e.attrelid
                    and c.attnum in (select n.refobjsubid from needed n
                                      where n.expression = e.oid and n.refclassid = 'pg_catalog.pg_class'::regclass
                                        and n.refobjid = e.attrelid and n.refobjsubid <> e.attnum)), '[]') as inputs,
       case when l.oid is not null then 'the publication has a list of columns for the table'
            when u.what is not null then 'it uses ' || u.what
            when y.what is not null then y.what
            when y.has_enum and e.adbin::text like '%{COERCEVIAIO %' then 'it casts an enum'
            when exists (select from leaf r
                           join leaf p on p.root = r.root and p.attname = r.attname
                           join pg_catalog.pg_class c on c.oid = p.attrelid and c.relkind = 'r'
                          where r.attrelid = e.attrelid and r.attname = e.attname and p.text is distinct from r.text)
            then 'a partition has another expression for it' end as why
  from expression e
  left join pg_catalog.pg_index k on k.indrelid = e.attrelid and k.indisprimary
  left join pg_catalog.pg_index i on i.indrelid = e.attrelid and i.indisreplident
  left join (select r.prrelid as oid
               from pg_catalog.pg_publication p
               join pg_catalog.pg_publication_rel r on r.prpubid = p.oid
              where p.pubname = $1::name and nullif(to_jsonb(r) -> 'prattrs', 'null') is not null) l on l.oid = e.attrelid
 cross join lateral (
       select min(pg_describe_object(n.refclassid, n.refobjid, n.refobjsubid)) as what
         from needed n
        where n.expression = e.oid and n.refobjid >= 16384
          and not (n.refclassid = 'pg_catalog.pg_class'::regclass and n.refobjid = e.attrelid and n.refobjsubid > 0)
          and not (n.refclassid = 'pg_catalog.pg_type'::regclass
                   and exists (select from pg_catalog.pg_type t
                                 left join pg_catalog.pg_type el on el.oid = t.typelem and el.typarray = t.oid
                                where t.oid = n.refobjid and (t.typtype = 'e' or el.typtype = 'e')))) u
 cross join lateral (
       select min(format('column %s is of a type of its own, %s', c.attname, format_type(c.type_oid, c.typmod)))
                filter (where not c.is_plain) as what,
              coalesce(bool_or(c.type_oid >= 16384), false)
                or exists (select from needed n
                            where n.expression = e.oid and n.refclassid = 'pg_catalog.pg_type'::regclass) as has_enum
         from typed c
        where c.attrelid = e.attrelid
          and (c.attnum = e.attnum
               or c.attnum in (select n.refobjsubid from needed n
                                where n.expression = e.oid and n.refclassid = 'pg_catalog.pg_class'::regclass
                                  and n.refobjid = e.attrelid))) y
 where e.attrelid = e.root
 order by e.attrelid, e.attnum
