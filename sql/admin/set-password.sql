-- Ends the sessions of that person, but for $3.
with changed as (
  update millrace_private.users u set password = $2::text, updated_at = clock_timestamp() where u.id = $1::uuid returning u.id
)
delete from millrace_private.sessions s using changed c where s.user_id = c.id and s.id is distinct from $3::uuid
