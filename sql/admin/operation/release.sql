-- Given back: by a worker that stops, which is no failure, or after one, to be tried again in $3 milliseconds.
update millrace_private.operations o
   set state = 'waiting', owner = null, token = null, session = null, until = clock_timestamp() + $3::integer * interval '1 ms', lines = '{}',
       reason = $4::text, remedy = $5::text, attempt = o.attempt - case when $3::integer = 0 then 1 else 0 end
 where o.id = $1::uuid and o.token = $2::uuid and o.state = 'running'
