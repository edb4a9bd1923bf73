-- $3 is included, $4 is not.
select c.at, c.lag_bytes::double precision as lag_bytes, c.kept_bytes::double precision as kept_bytes,
       c.limit_bytes::double precision as limit_bytes
  from millrace_private.database_counters c
  join millrace_private.databases d on d.no = c.database_no
 where d.name = $1::text and c.step = $2::text
   and c.at >= coalesce($3::timestamptz,
                        clock_timestamp() - case $2::text when 'hour' then interval '24 h' else interval '1 h' end)
   and c.at < coalesce($4::timestamptz, 'infinity')
 order by c.at
