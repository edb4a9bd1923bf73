with parent as (
  -- One by time of commit: of any other the bounds say nothing about now.
  select c.oid
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_partitioned_table p on p.partrelid = c.oid
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = p.partattrs[0]
   where n.nspname = $1::text and c.relname = $2::text
     and p.partstrat = 'r' and p.partnatts = 1 and a.attname = 'committed_at' and a.atttypid = 'timestamptz'::regtype
), bounds as (
  select e.bound = 'DEFAULT' or e.bound like '%TO (MAXVALUE)' as endless,
         substring(e.bound from $$FROM \('([^']+)'\)$$)::timestamptz as lower,
         substring(e.bound from $$TO \('([^']+)'\)$$)::timestamptz as upper
    from parent p
    join pg_catalog.pg_inherits i on i.inhparent = p.oid
    join pg_catalog.pg_class b on b.oid = i.inhrelid
   cross join lateral (select pg_catalog.pg_get_expr(b.relpartbound, b.oid) as bound) e
), newest as (
  -- Before 17 what is infinite cannot be subtracted.
  select upper, case when isfinite(upper) and isfinite(lower) then upper - lower end as span
    from bounds where upper is not null order by upper desc limit 1
)
select not exists (select from bounds where endless)
       and exists (select from newest where upper < now() + 2 * coalesce(span, interval '0')) as few_ahead,
       exists (select from parent)
       and not exists (select from bounds where coalesce(lower, '-infinity') <= now() and coalesce(upper, 'infinity') > now()) as none_now,
       -- Of today what no partition has.
       to_char(greatest(d.today, (select max(upper) from bounds where upper <= now())) at time zone 'UTC',
               'YYYY-MM-DD HH24:MI:SS.US"+00"') as free_from,
       to_char(least(d.today + interval '1 day', (select min(lower) from bounds where lower > now())) at time zone 'UTC',
               'YYYY-MM-DD HH24:MI:SS.US"+00"') as free_to
  from (select date_trunc('day', now(), 'UTC') as today) d
