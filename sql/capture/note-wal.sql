-- The greatest of a minute, and of an hour; of commits the sum.
insert into millrace_private.database_counters as c (database_no, step, at, lag_bytes, kept_bytes, limit_bytes, commits)
select d.no, t.step, date_trunc(t.step, clock_timestamp(), 'UTC'), $2::bigint, $3::bigint, $4::bigint, $5::bigint
  from millrace_private.databases d
 cross join (values ('hour'), ('minute')) t (step)
 where d.no = $1::integer
 order by t.step
    on conflict (database_no, step, at) do update
   set lag_bytes = greatest(c.lag_bytes, excluded.lag_bytes), kept_bytes = greatest(c.kept_bytes, excluded.kept_bytes),
       limit_bytes = excluded.limit_bytes, commits = c.commits + excluded.commits
