select r.messages
  from millrace_private.ranges_of($1::integer, $2::text[], $3::bigint[], $4::bigint[], $5::integer, $6::boolean) r
 order by r.place
