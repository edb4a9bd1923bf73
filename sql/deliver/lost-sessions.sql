-- Sessions of owners whose lock is free: they have ended. A lock that is tried here is let go at the end of the statement.
select distinct l.session::text as session
  from millrace_private.lanes l
 where l.owner is not null and l.until > clock_timestamp() and l.session <> all ($1::bigint[])
   and pg_try_advisory_xact_lock_shared(l.session)
