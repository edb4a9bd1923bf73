-- Of web processes that have said so within half a minute.
select coalesce(sum((p.waiting ->> s.no::text)::integer), 0)::integer as waiting
  from millrace_private.sinks s
  left join millrace_private.processes p on p.seen_at > clock_timestamp() - interval '30 s' and p.waiting is not null
 where s.id = $1::uuid
