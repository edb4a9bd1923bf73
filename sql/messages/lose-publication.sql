-- No publication has this oid: until a person accepts the gap it is another one than the one that was captured.
update millrace_private.positions p
   set publication_oid = $3::bigint
 where p.database_no = $1::integer and p.generation = $2::bigint and p.system_identifier is not null
