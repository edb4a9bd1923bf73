-- Is the token good? Whoever uses it holds the row.
select i.setup_hash = $1::bytea and i.setup_expires_at > clock_timestamp()
       and not exists (select from millrace_private.users u) as is_good
  from millrace_private.installation i
   for update
