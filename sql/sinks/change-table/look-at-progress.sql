-- The table of progress beside a change table: is it there with all of its columns, and what may our role do?
select current_user::text as role,
       pg_catalog.has_schema_privilege($1::text, 'create') as "mayCreate",
       coalesce(c.columns = 3, false) as "isThere",
       coalesce(c.may_write, false) as "mayWrite"
  from (select 1) as one
  left join (select count(*) as columns,
                    pg_catalog.has_table_privilege(t.oid, 'select') and pg_catalog.has_table_privilege(t.oid, 'insert')
                      and pg_catalog.has_table_privilege(t.oid, 'update') as may_write
               from pg_catalog.pg_class t
               join pg_catalog.pg_namespace n on n.oid = t.relnamespace
               join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
              where n.nspname = $1::text and t.relname = $2::text and a.attname in ('retention', 'seq', 'written')
              group by t.oid) c on true
