insert into millrace_private.api_tokens as t (name, hash, scopes, weak)
values ($1::text, $2::bytea, $3::text[], $4::boolean)
on conflict (name) do update
   set hash = excluded.hash, scopes = excluded.scopes, weak = excluded.weak,
       revoked_at = case when t.hash = excluded.hash then t.revoked_at end
