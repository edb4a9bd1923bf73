-- $3 is included, $4 is not.
select c.at, c.commits::double precision as commits, n.persisted, n.bytes, c.lag_bytes::double precision as lag_bytes, c.kept_bytes::double precision as kept_bytes,
       c.limit_bytes::double precision as limit_bytes
  from millrace_private.database_counters c
  join millrace_private.databases d on d.no = c.database_no
 cross join lateral (select coalesce(sum(x.persisted), 0)::double precision as persisted,
                            coalesce(sum(x.bytes), 0)::double precision as bytes
                       from millrace_private.sinks s
                       join millrace_private.sink_counters x on x.sink_no = s.no and x.step = c.step and x.at = c.at
                      where s.database_id = d.id) n
 where d.name = $1::text and c.step = $2::text
   and c.at >= coalesce($3::timestamptz,
                        clock_timestamp() - case $2::text when 'hour' then interval '24 h' else interval '1 h' end)
   and c.at < coalesce($4::timestamptz, 'infinity')
 order by c.at
