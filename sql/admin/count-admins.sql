-- Those who can log in: one without a password cannot.
select count(*)::integer as admins
  from millrace_private.users u
 where 'admin' = any (u.scopes) and u.password is not null
