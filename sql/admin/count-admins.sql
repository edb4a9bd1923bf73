select count(*)::integer as admins from millrace_private.users u where 'admin' = any (u.scopes)
