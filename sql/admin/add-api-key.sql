-- Nothing where the name is taken, or there are 1,000.
insert into millrace_private.api_tokens (name, hash, scopes, prefix, expires_at, created_by)
select $1::text, $2::bytea, $3::text[], $4::text, $5::timestamptz, $6::text
 where (select count(*) from millrace_private.api_tokens t) < 1000
on conflict do nothing
returning id
