-- What was said of the token before holds for as long as it is the same one.
insert into millrace_private.api_tokens as t (name, hash, scopes, weak, prefix)
values ($1::text, $2::bytea, $3::text[], $4::boolean, $5::text)
on conflict (name) do update
   set hash = excluded.hash, scopes = excluded.scopes, weak = excluded.weak,
       prefix = case when t.hash = excluded.hash then coalesce(excluded.prefix, t.prefix) else excluded.prefix end,
       revoked_at = case when t.hash = excluded.hash then t.revoked_at end,
       expires_at = case when t.hash = excluded.hash then t.expires_at end,
       last_used_at = case when t.hash = excluded.hash then t.last_used_at end
