insert into millrace_private.backfills (sink_no, kind, table_schema, table_name, keys)
values ($1::integer, 'keys', $2::text, $3::text, $4::jsonb)
returning no
