-- The table whose changes a retention keeps, as capture saw it last; its oid is null where it never did.
select k.part[1] as schema, k.part[2] as name,
       (select t.oid from millrace_private.source_tables t
         where t.database_no = d.no and t.schema_name = k.part[1] and t.table_name = k.part[2]
         order by t.no desc limit 1) as oid
  from millrace_private.sinks s
  join millrace_private.databases d on d.id = s.database_id
 cross join lateral (select regexp_match(s.settings #>> '{source,include_tables,0}', '^([^.]*)\.(.*)$', 's') as part) k
 where s.no = $1::integer
