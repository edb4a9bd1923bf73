call millrace_private.receive_together($1::integer, $2::integer[], $3::boolean, $4::bigint, $5::text[], $6::text[], $7::boolean, null, null, null, null, null, null, null, null, null, null, null)
