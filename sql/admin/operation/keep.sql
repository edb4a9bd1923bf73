-- $4: a step that is over, or null.
update millrace_private.operations o
   set kept = coalesce($3::jsonb, o.kept),
       steps = case when $4::jsonb is null then o.steps else o.steps || (jsonb_build_object('at', clock_timestamp()) || $4::jsonb) end
 where o.id = $1::uuid and o.token = $2::uuid and o.state = 'running'
