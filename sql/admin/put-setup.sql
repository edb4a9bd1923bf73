-- A new link makes the one before void. Nothing where there is a user.
update millrace_private.installation i
   set setup_hash = $1::bytea, setup_expires_at = clock_timestamp() + interval '1 hour'
 where not exists (select from millrace_private.users u)
returning true as is_put
