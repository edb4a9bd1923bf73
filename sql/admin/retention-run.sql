-- The last run of our own job, and what is known to be wrong with the policy.
select r.ran_at, r.deleted::double precision as deleted, r.error, r.next_at,
       n.code, n.message, n.remedy
  from millrace_private.sinks s
  left join millrace_private.retention_runs r on r.sink_no = s.no
  left join lateral (select o.code, o.message, o.remedy from millrace_private.notices o
                      where o.sink_no = s.no and o.code in ('policy_missing', 'job_fails', 'few_partitions')
                      order by array_position(array['policy_missing', 'job_fails', 'few_partitions'], o.code) limit 1) n on true
 where s.no = $1::integer
