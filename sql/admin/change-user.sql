-- Nothing where the address is another one's. The name is written as it is.
update millrace_private.users u
   set email = coalesce($2::text, u.email), name = $3::text, scopes = coalesce($4::text[], u.scopes),
       updated_at = clock_timestamp()
 where u.id = $1::uuid
   and not exists (select from millrace_private.users o where o.email = $2::text and o.id <> $1::uuid)
returning u.id
