insert into millrace_private.functions as f (name, settings)
values ($1::text, $2::jsonb)
on conflict (name) do update
   set settings = excluded.settings, updated_at = now()
