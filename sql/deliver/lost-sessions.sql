-- Sessions of owners whose lock is free: they have ended. A lock that is tried here is let go at the end of the statement.
select o.session::text as session
  from (select l.session from millrace_private.lanes l
         where l.owner is not null and l.until > clock_timestamp() and l.session <> all ($1::bigint[])
         union
        select p.session from millrace_private.operations p
         where p.state = 'running' and p.until > clock_timestamp() and p.session <> all ($1::bigint[]) offset 0) o
 where pg_try_advisory_xact_lock_shared(o.session)
