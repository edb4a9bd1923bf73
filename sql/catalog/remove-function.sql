delete from millrace_private.functions f where f.name = $1::text
