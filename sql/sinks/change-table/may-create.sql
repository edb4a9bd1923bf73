select current_user::text as role,
       pg_catalog.has_schema_privilege($1::text, 'create') and pg_catalog.has_schema_privilege($1::text, 'usage') as may_create
