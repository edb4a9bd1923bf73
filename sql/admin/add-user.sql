-- Nothing where the address is taken, or there are 1,000.
insert into millrace_private.users (email, name, password, scopes, created_by)
select $1::text, $2::text, $3::text, $4::text[], $5::text
 where (select count(*) from millrace_private.users u) < 1000
on conflict do nothing
returning id
