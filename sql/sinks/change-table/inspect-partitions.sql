-- Of a table that is partitioned by time of commit, also in several levels: what takes entries, and until when. A partition that is
-- partitioned by something else says nothing about now: it takes what it is there for.
with recursive divided as (
  select p.partrelid as oid
    from pg_catalog.pg_partitioned_table p
    join pg_catalog.pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
   where p.partstrat = 'r' and p.partnatts = 1 and a.attname = 'committed_at' and a.atttypid = 'timestamptz'::regtype
), places as (
  select c.oid, null::oid as parent, 0 as depth, '-infinity'::timestamptz as lower, 'infinity'::timestamptz as upper,
         c.oid in (select d.oid from divided d) as is_divided
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   where n.nspname = $1::text and c.relname = $2::text
  union all
  select i.inhrelid, p.oid, p.depth + 1,
         greatest(p.lower, substring(e.bound from $$FROM \('([^']+)'\)$$)::timestamptz),
         least(p.upper, substring(e.bound from $$TO \('([^']+)'\)$$)::timestamptz),
         b.oid in (select d.oid from divided d)
    from places p
    join pg_catalog.pg_inherits i on i.inhparent = p.oid and not i.inhdetachpending
    join pg_catalog.pg_class b on b.oid = i.inhrelid
   cross join lateral (select pg_catalog.pg_get_expr(b.relpartbound, b.oid) as bound) e
   where p.is_divided
), bounds as (
  select p.lower, p.upper from places p where p.depth > 0 and not p.is_divided
), newest as (
  -- Before 17 what is infinite cannot be subtracted.
  select b.upper, case when isfinite(b.upper) and isfinite(b.lower) then b.upper - b.lower end as span
    from bounds b order by b.upper desc, b.lower desc limit 1
), holder as (
  -- The innermost that a partition of now has to be made of.
  select p.oid, p.lower, p.upper from places p
   where p.is_divided and p.lower <= now() and p.upper > now() order by p.depth desc limit 1
), siblings as (
  select p.lower, p.upper from places p join holder h on h.oid = p.parent
)
select exists (select from newest n where n.upper < now() + 2 * coalesce(n.span, interval '0')) as few_ahead,
       exists (select from holder)
       and not exists (select from bounds b where b.lower <= now() and b.upper > now()) as none_now,
       (select json_build_object('schema', n.nspname, 'name', c.relname)
          from holder h
          join pg_catalog.pg_class c on c.oid = h.oid
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace) as holder,
       -- Of today what no partition has.
       to_char(greatest(d.today, (select h.lower from holder h), (select max(b.upper) from siblings b where b.upper <= now()))
               at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US"+00"') as free_from,
       to_char(least(d.today + interval '1 day', (select h.upper from holder h), (select min(b.lower) from siblings b where b.lower > now()))
               at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US"+00"') as free_to
  from (select date_trunc('day', now(), 'UTC') as today) d
