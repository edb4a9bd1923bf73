insert into millrace_private.sinks as s (name, kind, receivable, replaces, ordering, takes_rows, readable, database_id,
       destination_database_id, status, settings, secret, lanes, id, status_by,
       private_ok)
select $1::text, $2::text, t.receivable, t.replaces, t."order", t."takesRows", t.readable, d.id,
       (select i.id from millrace_private.databases i where i.name = $9::text),
       $4::text, $5::jsonb, $6::text, $7::smallint, $8::uuid, $11::text, $12::boolean
  from millrace_private.databases d
 cross join jsonb_to_record($10::jsonb)
         as t (receivable boolean, replaces boolean, "order" text, "takesRows" boolean, readable boolean)
 where d.name = $3::text
on conflict (name) do update
   set receivable = excluded.receivable, replaces = excluded.replaces, ordering = excluded.ordering,
       takes_rows = excluded.takes_rows, readable = excluded.readable,
       destination_database_id = excluded.destination_database_id, status = excluded.status,
       status_by = case when s.status = excluded.status then s.status_by else excluded.status_by end,
       status_reason = case when s.status = excluded.status then s.status_reason end,
       settings = excluded.settings, secret = excluded.secret, lanes = excluded.lanes,
       private_ok = excluded.private_ok, updated_at = now()
returning s.no
