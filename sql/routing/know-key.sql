update millrace_private.source_tables t
   set key_columns = $2::text[]
 where t.no = $1::integer and t.key_columns is distinct from $2::text[]
