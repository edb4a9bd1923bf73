insert into millrace_private.processes (id, role, host, pid, version, key_id)
values ($1::uuid, $2::text, $3::text, $4::integer, $5::text, $6::text)
    on conflict (id) do update set seen_at = clock_timestamp()
