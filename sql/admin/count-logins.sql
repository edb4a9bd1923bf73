select count(*) filter (where f.account = $1::bytea)::integer as of_account,
       count(*) filter (where f.address = $2::text)::integer as of_address
  from millrace_private.login_failures f
 where f.at > clock_timestamp() - interval '1 minute' and f.id <> $3::bigint
   and (f.account = $1::bytea or f.address = $2::text)
