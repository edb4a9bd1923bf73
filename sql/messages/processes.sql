-- The first of each role first.
select p.id, p.role, p.host, p.pid, p.version, p.key_id, p.started_at, p.seen_at,
       extract(epoch from clock_timestamp() - p.seen_at)::double precision as seen_seconds_ago
  from millrace_private.processes p
 order by p.role, p.started_at, p.id
