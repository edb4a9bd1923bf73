-- $3: milliseconds; $7: the session of this worker.
update millrace_private.operations o
   set until = clock_timestamp() + $3::integer * interval '1 ms', phase = $4::text, progress = $5::jsonb, lines = $6::text[],
       moved_at = clock_timestamp(), session = $7::bigint
 where o.id = $1::uuid and o.token = $2::uuid and o.state = 'running'
