delete from millrace_private.users u where u.id = $1::uuid
