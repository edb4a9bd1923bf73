with bounds as (
  select e.bound = 'DEFAULT' or e.bound like '%TO (MAXVALUE)' as endless,
         substring(e.bound from $$FROM \('([^']+)'\)$$)::timestamptz as lower,
         substring(e.bound from $$TO \('([^']+)'\)$$)::timestamptz as upper
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_partitioned_table p on p.partrelid = c.oid
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = p.partattrs[0]
    join pg_catalog.pg_inherits i on i.inhparent = c.oid
    join pg_catalog.pg_class b on b.oid = i.inhrelid
   cross join lateral (select pg_catalog.pg_get_expr(b.relpartbound, b.oid) as bound) e
   where n.nspname = $1::text and c.relname = $2::text
     and p.partstrat = 'r' and p.partnatts = 1 and a.attname = 'committed_at' and a.atttypid = 'timestamptz'::regtype
), newest as (
  -- Before 17 what is infinite cannot be subtracted.
  select upper, case when isfinite(upper) and isfinite(lower) then upper - lower end as span
    from bounds where upper is not null order by upper desc limit 1
)
select not exists (select from bounds where endless)
       and exists (select from newest where upper < now() + 2 * coalesce(span, interval '0')) as few_ahead,
       exists (select from bounds)
       and not exists (select from bounds where endless or coalesce(lower, '-infinity') <= now() and upper > now()) as none_now,
       to_char(now() at time zone 'UTC', 'YYYY-MM-DD') as today,
       to_char(now() at time zone 'UTC' + interval '1 day', 'YYYY-MM-DD') as tomorrow
