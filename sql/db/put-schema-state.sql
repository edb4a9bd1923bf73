insert into millrace_private.schema_state as s (version, serves) values ($1::integer, $2::integer)
on conflict (only_row) do update set version = excluded.version, serves = excluded.serves
