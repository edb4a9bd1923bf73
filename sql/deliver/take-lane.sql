select millrace_private.take_lane($1::integer, $2::integer, $3::text, $4::integer * interval '1 ms', $5::bigint) as taken
