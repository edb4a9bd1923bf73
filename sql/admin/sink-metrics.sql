-- $3 is included, $4 is not.
select m.at, m.persisted::double precision as persisted, m.delivered::double precision as delivered,
       m.failed::double precision as failed, m.retried::double precision as retried, m.parked::double precision as parked,
       m.discarded::double precision as discarded, m.bytes::double precision as bytes, m.p50_ms, m.p90_ms, m.p95_ms, m.p99_ms,
       m.latency_buckets::double precision[] as latency_buckets
  from millrace.sink_metrics m
 where m.sink_name = $1::text and m.step = $2::text
   and m.at >= coalesce($3::timestamptz,
                        clock_timestamp() - case $2::text when 'hour' then interval '24 h' else interval '1 h' end)
   and m.at < coalesce($4::timestamptz, 'infinity')
 order by m.at
