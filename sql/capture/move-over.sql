-- From slot $3 to what comes behind it; only by whoever streamed last.
update millrace_private.positions p
   set former_slots = array_append(array_remove(p.former_slots, p.slot_name), p.slot_name),
       system_identifier = $4::text, timeline = $5::integer, database_oid = $6::bigint, slot_name = $7::text,
       publication_oid = $8::bigint
 where p.database_no = $1::integer and p.generation = $2::bigint and p.slot_name = $3::text and p.system_identifier is not null
