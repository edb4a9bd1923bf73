insert into millrace_private.databases as d (name, settings, address, hostname, database_name, id, private_ok)
values ($1::text, $2::jsonb, $3::text, $4::text, $5::text, $6::uuid, $7::boolean)
on conflict (name) do update
   set settings = excluded.settings, address = excluded.address, hostname = excluded.hostname,
       database_name = excluded.database_name, private_ok = excluded.private_ok, updated_at = now()
