insert into millrace_private.retention_runs as r (sink_no, ran_at, deleted, error, next_at)
select s.no, clock_timestamp(), $2::bigint, $3::text, clock_timestamp() + make_interval(secs => $4::double precision)
  from millrace_private.sinks s
 where s.no = $1::integer
    on conflict (sink_no) do update
   set ran_at = excluded.ran_at, deleted = excluded.deleted, error = excluded.error, next_at = excluded.next_at
