delete from millrace_private.login_failures f where f.id = $1::bigint
