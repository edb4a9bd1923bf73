-- The index by which entries are read in their order: is there one that begins with seq, and what making it has to begin with?
with event_table as (
  select c.oid, c.relkind, n.nspname
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where n.nspname = $1::text and c.relname = $2::text and c.relkind in ('r', 'p')
), whole as (
  select t.oid, t.relkind, t.nspname from event_table t
  union all
  select b.oid, b.relkind, n.nspname
    from event_table t
    join pg_catalog.pg_inherits h on h.inhparent = t.oid
    join pg_catalog.pg_class b on b.oid = h.inhrelid
    join pg_catalog.pg_namespace n on n.oid = b.relnamespace
   where t.relkind = 'p'
), found as (
  select x.indrelid, x.indisvalid, b.relname, format('%I.%I', w.nspname, b.relname) as name,
         exists (select from pg_catalog.pg_inherits h where h.inhrelid = b.oid) as is_attached
    from whole w
    join pg_catalog.pg_index x on x.indrelid = w.oid
    join pg_catalog.pg_class b on b.oid = x.indexrelid
    join pg_catalog.pg_am m on m.oid = b.relam and m.amname = 'btree'
    join pg_catalog.pg_attribute a on a.attrelid = x.indrelid and a.attnum = x.indkey[0] and a.attname = 'seq'
   where x.indpred is null
)
select t.oid, t.relkind = 'p' as is_partitioned, pg_catalog.has_table_privilege(t.oid, 'select') as may_read,
       exists (select from found f where f.indrelid = t.oid and f.indisvalid) as is_there,
       -- One that is not valid yet may be on its way. Of others' sessions only which one makes an index may be seen: what it has locked
       -- says of which table.
       exists (select from pg_catalog.pg_stat_progress_create_index p
                 join pg_catalog.pg_locks l on l.pid = p.pid and l.locktype = 'relation' and l.granted
                 join whole w on w.oid = l.relation
                where p.datid = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
                  and l.database = p.datid and l.mode in ('ShareLock', 'ShareUpdateExclusiveLock')) as is_being_made,
       -- What an attempt has left that was broken off.
       coalesce((select json_agg(f.name order by f.indrelid = t.oid desc, f.name) from found f
                  where (f.indrelid = t.oid and not f.indisvalid)
                     or (f.relname = 'millrace_' || f.indrelid || '_seq_idx' and not f.is_attached)), '[]') as leftovers,
       coalesce((select json_agg(json_build_object('oid', b.oid, 'schema', n.nspname, 'name', b.relname,
                                                   'is_plain', b.relkind = 'r') order by b.relname)
                   from whole w
                   join pg_catalog.pg_class b on b.oid = w.oid
                   join pg_catalog.pg_namespace n on n.oid = b.relnamespace
                  where w.oid <> t.oid), '[]') as partitions
  from event_table t
