insert into millrace_private.api_tokens as t (name, hash, scopes)
values ($1::text, $2::bytea, $3::text[])
on conflict (name) do update
   set hash = excluded.hash, scopes = excluded.scopes,
       revoked_at = case when t.hash = excluded.hash then t.revoked_at end
