insert into millrace_private.schema_files as f (path, sha256) values ($1::text, $2::text)
on conflict (path) do update set sha256 = excluded.sha256, applied_at = clock_timestamp()
