select current_user::text as role,
       pg_catalog.has_table_privilege($1::text, 'select') and pg_catalog.has_table_privilege($1::text, 'delete') as may
