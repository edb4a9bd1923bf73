-- Of workers that are gone: another one takes them up at once. One that is locked is written by its worker just now: it is left
-- to the next time.
with lost as materialized (
  select p.id
    from millrace_private.operations p
   where p.state = 'running' and p.session = any ($1::bigint[]) and pg_try_advisory_xact_lock_shared(p.session)
     for no key update of p skip locked
), freed as (
  update millrace_private.operations p
     set owner = null, token = null, session = null, until = clock_timestamp()
    from lost l
   where p.id = l.id
  returning p.id
)
select pg_notify('millrace_operations', f.id::text) from freed f
