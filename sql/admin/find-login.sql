select u.id, u.email, u.password from millrace_private.users u where u.email = $1::text
