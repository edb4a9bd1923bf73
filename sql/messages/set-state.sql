-- Whoever streams says so every 5 s, and when it is over.
update millrace_private.positions p
   set state = $2::text, reason = $3::text, remedy = $4::text, warnings = $5::text[],
       state_since = case when p.state = $2::text then p.state_since else clock_timestamp() end
 where p.database_no = $1::integer
   and (p.state, p.reason, p.remedy, p.warnings) is distinct from ($2::text, $3::text, $4::text, $5::text[])
   and (not $6::boolean or p.generation = $7::bigint
        or not exists (select from millrace_private.capture_beats b
                        where b.database_no = p.database_no and b.generation = p.generation
                          and millrace_private.is_fresh(b.at))
        or exists (select from millrace_private.capture_beats b
                    where b.database_no = p.database_no and b.generation = -p.generation))
