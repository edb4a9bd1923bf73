-- What capture saw last of each source's WAL.
select d.name, c.lag_bytes::double precision as lag_bytes, c.kept_bytes::double precision as kept_bytes,
       c.limit_bytes::double precision as limit_bytes
  from millrace_private.databases d
 cross join lateral (select o.lag_bytes, o.kept_bytes, o.limit_bytes from millrace_private.database_counters o
                      where o.database_no = d.no and o.step = 'minute' and o.at > clock_timestamp() - interval '3 min'
                      order by o.at desc limit 1) c
