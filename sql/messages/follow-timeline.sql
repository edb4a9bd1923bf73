update millrace_private.positions p
   set timeline = $3::integer
 where p.database_no = $1::integer and p.timeline = $2::integer and p.system_identifier is not null
