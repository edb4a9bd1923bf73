select u.email from millrace_private.users u order by u.created_at, u.email
