-- Entries since then are this retention's alone. No row: it is not stored, or another one keeps the same table in the same place.
-- A minute, for the clocks of two servers differ.
select s.created_at + interval '1 min' as since, k.part[1] as schema, k.part[2] as name
  from millrace_private.sinks s
 cross join lateral (select regexp_match(s.settings #>> '{source,include_tables,0}', '^([^.]*)\.(.*)$', 's') as part) k
 where s.id = $1::uuid
   and not exists (select from millrace_private.sinks o
                    where o.id <> s.id and o.database_id = s.database_id and o.kind = s.kind
                      and o.settings #> '{source,include_tables}' = s.settings #> '{source,include_tables}'
                      and o.settings #> '{destination,database}' = s.settings #> '{destination,database}'
                      and o.settings #> '{destination,table_schema}' = s.settings #> '{destination,table_schema}'
                      and o.settings #> '{destination,table_name}' = s.settings #> '{destination,table_name}')
