delete from millrace_private.processes p where p.id = $1::uuid
