call millrace_private.receive_batch($1::integer, $2::integer, $3::boolean, $4::bigint, null, null, null, null, null, null, null)
