-- Noted before the password is looked at, so that many at once are not more than one after the other. What is older than an
-- hour goes with it.
with old as (
  delete from millrace_private.login_failures f where f.at < clock_timestamp() - interval '1 hour'
)
insert into millrace_private.login_failures (account, address) values ($1::bytea, $2::text) returning id
