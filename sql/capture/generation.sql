select p.generation from millrace_private.positions p where p.database_no = $1::integer
