insert into millrace_private.sinks as s (name, kind, database_id, status, settings, secret, lanes, id)
select $1::text, $2::text, d.id, $4::text, $5::jsonb, $6::text, $7::smallint, $8::uuid
  from millrace_private.databases d
 where d.name = $3::text
on conflict (name) do update
   set status = excluded.status, settings = excluded.settings, secret = excluded.secret, lanes = excluded.lanes,
       updated_at = now()
returning s.no
