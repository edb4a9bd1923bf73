update millrace_private.databases d set address = $2::text where d.id = $1::uuid
