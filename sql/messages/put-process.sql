insert into millrace_private.processes (id, role, host, pid, version, key_id, waiting)
values ($1::uuid, $2::text, $3::text, $4::integer, $5::text, $6::text, $7::jsonb)
    on conflict (id) do update set seen_at = clock_timestamp(), waiting = excluded.waiting
