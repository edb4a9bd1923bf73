-- $1: its name; $2: its next one. Who may consume it may consume it under that name.
with scopes as (
  update millrace_private.api_tokens t
     set scopes = array_replace(t.scopes, 'consume:' || $1::text, 'consume:' || $2::text)
   where 'consume:' || $1::text = any (t.scopes)
), people as (
  update millrace_private.users u
     set scopes = array_replace(u.scopes, 'consume:' || $1::text, 'consume:' || $2::text)
   where 'consume:' || $1::text = any (u.scopes)
)
update millrace_private.sinks s
   set name = $2::text, settings = jsonb_set(s.settings, '{name}', to_jsonb($2::text)), updated_at = now(),
       entry_name = case when s.released then nullif(coalesce(s.entry_name, s.name), $2::text) else s.entry_name end
 where s.name = $1::text
