select millrace_private.put_back($1::integer, $2::text, $3::text[], $4::double precision * interval '1 millisecond') as count
