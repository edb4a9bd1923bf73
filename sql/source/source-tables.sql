-- Every table that could be captured, and how publication $1 has it, which lists all tables of the schemas $2. $3: these alone,
-- by oid; null: all.
--
-- There may be tens of thousands: what is known of their parts is grouped once, never looked for table by table.
--
-- Reads catalogs only, for what opens a table (pg_publication_tables, pg_partition_tree, a size) waits for whoever has it
-- locked. What Postgres does with a row that is written: CheckCmdReplicaIdentity() and RelationGetReplicaIndex().
with recursive publication as (
  select p.oid, p.puballtables as all_tables, coalesce(to_jsonb(p) ->> 'pubgencols', 'n') = 's' as with_generated
    from pg_catalog.pg_publication p
   where p.pubname = $1::name
), listed as (
  select l.prrelid as oid, nullif(to_jsonb(l) -> 'prattrs', 'null') as columns, to_jsonb(l) ->> 'prqual' as filter
    from pg_catalog.pg_publication_rel l
    join publication p on p.oid = l.prpubid
), candidate as (
  select c.oid, n.nspname, c.relname, c.relkind, c.relowner, c.relreplident, c.relnamespace
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
     and n.nspname not in ('pg_catalog', 'information_schema', 'millrace', 'millrace_private', 'millrace_jobs', 'millrace_capture')
     and n.nspname not like 'pg\_%' and c.relname <> 'millrace_progress'
     and ($3::oid[] is null or c.oid = any ($3::oid[]))
), tree (root, oid, listed) as (
  -- listed: it, or what it is a part of.
  select t.oid, t.oid, t.oid in (select l.oid from listed l) or t.relnamespace = any ($2::oid[])
                       or coalesce((select p.all_tables from publication p), false)
    from candidate t
  union
  select t.root, i.inhrelid, t.listed or i.inhrelid in (select l.oid from listed l) or c.relnamespace = any ($2::oid[])
    from tree t
    join pg_catalog.pg_inherits i on i.inhparent = t.oid
    join pg_catalog.pg_class c on c.oid = i.inhrelid and c.relispartition
), identity_index as (
  -- Those that Postgres takes for an identity.
  select i.indrelid, i.indisprimary, i.indisreplident,
         array(select a.attname::text from unnest((i.indkey::smallint[])[0:i.indnkeyatts - 1]) k (attnum)
                 join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum) as columns
    from pg_catalog.pg_index i
    join tree t on t.oid = i.indrelid
   where (i.indisprimary or i.indisreplident) and i.indisunique and i.indisvalid and i.indislive and i.indimmediate
     and i.indpred is null
), store as (
  -- The tables that hold the rows, with the columns of their identity; null: none.
  select t.root, t.oid, t.listed, c.relreplident = 'f' as is_full, c.relpersistence = 'u' as is_unlogged, format('%I.%I', n.nspname, c.relname) as name,
         k.columns as identity
    from tree t
    join pg_catalog.pg_class c on c.oid = t.oid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    left join identity_index k
      on k.indrelid = c.oid and case c.relreplident when 'd' then k.indisprimary when 'i' then k.indisreplident end
   where c.relkind = 'r'
), away as (
  -- Partitions whose rows are in another database.
  select t.root, (array_agg(format('%I.%I', n.nspname, c.relname) order by n.nspname, c.relname))[1:20] as names
    from tree t
    join pg_catalog.pg_class c on c.oid = t.oid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where c.relkind = 'f'
   group by t.root
), primary_key as (
  select i.indrelid, array(select a.attname::text from unnest((i.indkey::smallint[])[0:i.indnkeyatts - 1]) k (attnum)
                             join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum) as columns
    from pg_catalog.pg_index i
   where i.indisprimary
), published as (
  select distinct t.root as oid from tree t where t.listed
), described as (
  select c.oid, c.nspname, c.relname, c.relkind, c.relowner, c.relreplident, l.columns as listed_columns, l.filter,
         k.indrelid is not null as has_key, k.columns as key_columns, u.indrelid is not null as usable_key,
         g.virtual, g.stored, p.columns, p.filtered
    from candidate c
    left join listed l on l.oid = c.oid
    left join primary_key k on k.indrelid = c.oid
    left join identity_index u on u.indrelid = c.oid and u.indisprimary
   cross join lateral (select coalesce(bool_or(a.attgenerated = 'v'), false) as virtual,
                              coalesce(bool_or(a.attgenerated = 's'), false) as stored
                         from pg_catalog.pg_attribute a
                        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated <> '') g
   cross join lateral (select array(select a.attname::text
                                      from pg_catalog.pg_attribute a
                                     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                                       and case when l.columns is null
                                                then a.attgenerated = '' or (a.attgenerated = 's'
                                                                             and (select p.with_generated from publication p))
                                                else l.columns @> to_jsonb(a.attnum) end) as columns,
                              array(select a.attname::text
                                      from regexp_matches(coalesce(l.filter, ''), ':varattno (\d+)', 'g') m (found)
                                      join pg_catalog.pg_attribute a
                                        on a.attrelid = c.oid and a.attnum = m.found[1]::smallint) as filtered) p
), stored as (
  select c.oid,
         count(*) filter (where not s.is_full and s.identity is null) as unidentified,
         count(*) filter (where not s.is_full and not c.key_columns <@ s.identity) as uncovered,
         count(*) filter (where not s.is_full and not s.identity <@ c.columns) as unlisted,
         count(*) filter (where not s.is_full and not c.filtered <@ s.identity) as unfiltered,
         coalesce(bool_and(s.is_full), false) as all_full,
         coalesce((array_agg(s.name order by s.name) filter (where s.is_full))[1:20], '{}') as full_stores,
         coalesce((array_agg(s.name order by s.name) filter (where s.is_unlogged))[1:20], '{}') as unlogged,
         coalesce((array_agg(s.name order by s.name) filter (where not s.listed))[1:20], '{}') as unlisted_stores,
         coalesce((array_agg(s.name order by s.name) filter (where not s.is_full))[1:20], '{}') as partial_stores,
         coalesce((array_agg(s.name order by s.name)
                     filter (where not s.is_full and (s.identity is null or not c.key_columns <@ s.identity)))[1:20],
                  '{}') as weak
    from described c
    left join store s on s.root = c.oid
   group by c.oid
)
select c.oid::bigint as oid, c.nspname as schema, c.relname as name, c.relkind = 'p' as partitioned,
       c.relowner in (select m.oid from pg_catalog.pg_roles m where pg_has_role(current_user, m.oid, 'usage')) as mine,
       case when c.relkind = 'p' and s.all_full then 'full' when c.relkind = 'p' then 'default'
            when c.relreplident = 'f' then 'full' when c.relreplident = 'n' then 'nothing'
            when c.relreplident = 'i' then 'index' else 'default' end as identity,
       c.has_key, c.usable_key,
       s.unidentified = 0 as has_identity,
       s.unidentified = 0 and s.uncovered = 0 as covers_key,
       s.unlogged, coalesce(f.names, '{}') as foreign_parts, s.weak, c.relkind = 'p' and c.relreplident = 'f' and not s.all_full as partly_full, s.partial_stores, s.full_stores, s.full_stores <> '{}' as some_full,
       c.oid in (select p.oid from published p) as published,
       c.oid in (select t.oid from tree t where t.listed) as listed_itself, s.unlisted_stores,
       c.listed_columns is not null as some_columns, c.filter is not null as some_rows, c.virtual as virtual_columns, c.stored as stored_columns,
       array(select a.attname::text from pg_catalog.pg_attribute a
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = 's'
                and a.attname::text <> all (c.columns) order by a.attnum) as stored_left_out,
       array(select a.attname::text from pg_catalog.pg_attribute a
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = 'v'
              order by a.attnum) as virtual_left_out,
       h.key_left_out,
       case when h.key_left_out <> '{}'
            then array(select a.attname::text from pg_catalog.pg_attribute a
                        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                          and not exists (select from store o
                                           where o.root = c.oid and not o.is_full
                                             and not coalesce(a.attname::text = any (o.identity), false)))
            else '{}' end as carried,
       s.unlisted > 0 as identity_unlisted, s.unfiltered > 0 as identity_unfiltered
  from described c
  join stored s on s.oid = c.oid
  left join away f on f.root = c.oid
 cross join lateral (select array(select a.attname::text from pg_catalog.pg_attribute a
                                   where a.attrelid = c.oid and not a.attisdropped and a.attgenerated = 's'
                                     and a.attname::text = any (c.key_columns) and a.attname::text <> all (c.columns)
                                   order by a.attnum) as key_left_out) h
 order by c.nspname, c.relname
