select p.oid, p.published_as from millrace_private.published_tables p where p.database_no = $1::integer
