update millrace_private.operations o
   set state = $3::text, result = $4::jsonb, reason = $5::text, remedy = $6::text, ended_at = clock_timestamp(),
       owner = null, token = null, session = null, until = null, lines = $7::text[], progress = coalesce($8::jsonb, o.progress), kept = case when $3::text = 'failed' then o.kept end
 where o.id = $1::uuid and o.token = $2::uuid and o.state = 'running'
