-- $1: one; $2: of this person; $3: but for this one. Null: any.
delete from millrace_private.sessions s
 using millrace_private.users u
 where u.id = s.user_id and ($1::uuid is null or s.id = $1::uuid) and ($2::uuid is null or s.user_id = $2::uuid)
   and s.id is distinct from $3::uuid
returning s.id, u.email
