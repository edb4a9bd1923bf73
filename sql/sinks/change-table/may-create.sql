select current_user::text as role, pg_catalog.has_schema_privilege($1::text, 'create') as may_create
