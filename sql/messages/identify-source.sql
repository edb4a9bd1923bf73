insert into millrace_private.positions as p
       (database_no, system_identifier, timeline, database_oid, slot_name, publication_oid)
values ($1::integer, $2::text, $3::integer, $4::bigint, $5::text, $6::bigint)
    on conflict (database_no) do update
   set former_slots = case when p.slot_name <> excluded.slot_name
                           then array_append(array_remove(p.former_slots, p.slot_name), p.slot_name) else p.former_slots end,
       system_identifier = excluded.system_identifier, timeline = excluded.timeline,
       database_oid = excluded.database_oid, slot_name = excluded.slot_name, publication_oid = excluded.publication_oid
 where p.system_identifier is null
