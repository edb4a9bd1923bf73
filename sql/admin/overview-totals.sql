-- Of all sinks together: how long messages took, in this hour and the one before.
select millrace_private.latency_share(t.latency, 0.5) as p50_ms, millrace_private.latency_share(t.latency, 0.99) as p99_ms
  from (select array_agg(u.count order by u.place) as latency
          from (select l.place, sum(l.count)::bigint as count
                  from millrace_private.sink_counters c
                 cross join lateral unnest(c.latency) with ordinality l (count, place)
                 where c.step = 'hour' and c.at > clock_timestamp() - interval '2 h'
                 group by l.place) u) t
