select millrace_private.begin_operation('resync', null, millrace_private.database_no($1::text),
         jsonb_build_object('force', $2::boolean, 'verify', $3::boolean)) as id
