-- The latency in milliseconds that this share of what was counted (0.99: all but one of a hundred) does not exceed, as well as
-- buckets tell: within one of them it is taken to be spread evenly. Null where nothing was counted.
create or replace function millrace_private.latency_share(p_latency bigint[], p_share double precision)
returns double precision language sql immutable parallel safe
set search_path = pg_catalog, pg_temp as $$
  select round((b.lower + (b.upper - b.lower) * (w.wanted - (b.upto - b.count)) / b.count)::numeric, 1)::double precision
    from (select p_share * sum(x.count)::double precision as wanted from unnest(p_latency) x (count)) w
    join (select c.place, c.count::double precision as count, (sum(c.count) over (order by c.place))::double precision as upto,
                 coalesce(l.bounds[c.place - 1], 0) as lower, coalesce(l.bounds[c.place], l.bounds[c.place - 1]) as upper
            from unnest(p_latency) with ordinality c (count, place)
           cross join (select millrace_private.latency_bounds() as bounds) l) b on b.count > 0 and b.upto >= w.wanted
   order by b.place limit 1
$$;
