-- Tables, a page of them behind schema $3 and name $4, in that order, and how publication $1 has them, which lists all tables of
-- the schemas $2. $5: of this schema alone; $6: whose name or schema holds this text.
--
-- Of what can never be captured, unlogged and foreign tables are among them, because one looks for them there; views, of which
-- there may be many, only for who searches. Not there: partitions, whose changes come under the name of their table, temporary
-- tables, which are others in each session, and tables of Postgres' own and of ours.
--
-- The page is cut first; all else is looked up for its tables alone, in catalogs alone: nobody's lock is waited for. Sizes
-- are those that vacuum and analyze wrote down.
with recursive publication as (
  select p.oid, p.puballtables as all_tables from pg_catalog.pg_publication p where p.pubname = $1::name
), page as materialized (
  select c.oid, n.nspname, c.relname, c.relkind, c.relreplident, c.relnamespace, c.relpages, c.reltuples,
         case c.relkind when 'f' then 'foreign' when 'v' then 'view' when 'm' then 'matview'
                        else case c.relpersistence when 'u' then 'unlogged' else 'table' end end as kind
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where (c.relkind in ('r', 'p', 'f') or ($6::text is not null and c.relkind in ('v', 'm')))
     and not c.relispartition and c.relpersistence <> 't'
     and n.nspname not in ('pg_catalog', 'information_schema', 'millrace', 'millrace_private', 'millrace_jobs', 'millrace_capture')
     and n.nspname not like 'pg\_%' and c.relname <> 'millrace_progress'
     and ($3::text is null or (n.nspname::text collate "C", c.relname::text collate "C") > ($3::text, $4::text))
     and ($5::text is null or n.nspname = $5::name)
     and ($6::text is null or strpos(lower(n.nspname || '.' || c.relname), lower($6::text)) > 0)
   order by n.nspname::text collate "C", c.relname::text collate "C"
   limit $7::integer
), tree (root, oid) as (
  select p.oid, p.oid from page p
  union
  select t.root, i.inhrelid
    from tree t
    join pg_catalog.pg_inherits i on i.inhparent = t.oid
    join pg_catalog.pg_class c on c.oid = i.inhrelid and c.relispartition
), part as (
  select t.root, count(*) filter (where c.relkind = 'r') as stores,
         bool_and(c.relreplident = 'f') filter (where c.relkind = 'r') as all_full,
         bool_or(l.prrelid is not null or c.relnamespace = any ($2::oid[])) as listed,
         sum(c.relpages::bigint) filter (where c.relkind = 'r') as pages,
         case when bool_or(c.reltuples < 0) filter (where c.relkind = 'r') then null
              else sum(c.reltuples::double precision) filter (where c.relkind = 'r') end as tuples
    from tree t
    join pg_catalog.pg_class c on c.oid = t.oid
    left join pg_catalog.pg_publication_rel l
      on l.prrelid = t.oid and l.prpubid = (select p.oid from publication p)
   group by t.root
)
select c.oid::bigint as oid, c.nspname as schema, c.relname as name, c.kind, c.relkind = 'p' as partitioned,
       case when c.relkind = 'p' and p.all_full then 'full' when c.relkind = 'p' then 'default'
            when c.relreplident = 'f' then 'full' when c.relreplident = 'n' then 'nothing'
            when c.relreplident = 'i' then 'index' else 'default' end as identity,
       array(select a.attname::text
               from pg_catalog.pg_index i
              cross join lateral unnest((i.indkey::smallint[])[0:i.indnkeyatts - 1]) with ordinality k (attnum, place)
               join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
              where i.indrelid = c.oid and i.indisprimary
              order by k.place) as key,
       c.kind = 'table' and (coalesce((select b.all_tables from publication b), false) or p.listed) as published,
       (coalesce(p.pages, 0) * current_setting('block_size')::bigint)::bigint as size_bytes,
       round(p.tuples)::bigint as estimated_rows,
       case when $8::boolean
            then (select jsonb_agg(jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
                                                      'not_null', a.attnotnull,
                                                      'generated', case a.attgenerated when 's' then 'stored'
                                                                                       when 'v' then 'virtual' end)
                                   order by a.attnum)
                    from pg_catalog.pg_attribute a
                   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) end as columns
  from page c
  join part p on p.root = c.oid
 order by c.nspname::text collate "C", c.relname::text collate "C"
