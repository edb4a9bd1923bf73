update millrace_private.positions p
   set state = $2::text, reason = $3::text, remedy = $4::text,
       state_since = case when p.state = $2::text then p.state_since else clock_timestamp() end
 where p.database_no = $1::integer
   and (p.state, p.reason, p.remedy) is distinct from ($2::text, $3::text, $4::text)
   and ($5::bigint is null or p.generation = $5::bigint)
