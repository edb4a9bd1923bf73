-- Changes of these tables come under these names now: where that is not what they were called at the last look, the next one knows.
update millrace_private.published_tables p
   set came_as = coalesce(p.came_as, '[]') || n.came_as::jsonb
  from unnest($2::bigint[], $3::text[]) n (oid, came_as)
 where p.database_no = $1::integer and p.oid = n.oid
   and (p.schema_name, p.table_name) is distinct from (n.came_as::jsonb ->> 'schema', n.came_as::jsonb ->> 'name')
   and (p.came_as @> jsonb_build_array(n.came_as::jsonb)) is not true
