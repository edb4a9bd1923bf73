select n.oid is not null as schema_exists,
       c.relkind::text as kind,
       c.relpersistence::text as persistence,
       current_user::text as role,
       coalesce(pg_catalog.has_schema_privilege(n.oid, 'usage'), false) as may_use_schema,
       coalesce(pg_catalog.has_table_privilege(c.oid, 'insert'), false) as may_insert,
       (select array_agg(a.attname::text order by a.attname)
          from pg_catalog.pg_index i
          join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
         where i.indrelid = c.oid and i.indisprimary) as primary_key,
       (select k.conname::text from pg_catalog.pg_constraint k where k.conrelid = c.oid and k.contype = 'p') as primary_key_name,
       q.sequence,
       q.may_use_sequence,
       q.last_value,
       q.max_value,
       (select json_agg(json_build_object(
                 'name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod), 'not_null', a.attnotnull,
                 'has_default', a.atthasdef and a.attgenerated = '', 'identity', a.attidentity <> '',
                 'generated', a.attgenerated <> '', 'virtual', a.attgenerated = 'v',
                 'divides', exists (select from pg_catalog.pg_partitioned_table d
                                     where d.partrelid = c.oid and a.attnum = any (d.partattrs::smallint[]))) order by a.attnum)
          from pg_catalog.pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
  from (select $1::text as schema_name, $2::text as table_name) w
  left join pg_catalog.pg_namespace n on n.nspname = w.schema_name
  left join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = w.table_name
  left join lateral (
       select format('%I.%I', z.nspname, s.relname) as sequence,
              -- An identity column needs no right on its sequence.
              d.deptype = 'i' or pg_catalog.has_sequence_privilege(s.oid, 'usage, update') as may_use_sequence,
              (select e.seqmax from pg_catalog.pg_sequence e where e.seqrelid = s.oid and not e.seqcycle) as max_value,
              case when pg_catalog.has_sequence_privilege(s.oid, 'usage, select')
                   then pg_catalog.pg_sequence_last_value(s.oid) end as last_value
         from pg_catalog.pg_attribute a
         left join pg_catalog.pg_attrdef f on f.adrelid = a.attrelid and f.adnum = a.attnum
         join pg_catalog.pg_depend d
           on (d.classid = 'pg_attrdef'::regclass and d.objid = f.oid and d.refclassid = 'pg_class'::regclass)
           or (d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass and d.deptype = 'i'
               and d.refobjid = a.attrelid and d.refobjsubid = a.attnum)
         join pg_catalog.pg_class s
           on s.relkind = 'S' and s.oid = case d.classid when 'pg_attrdef'::regclass then d.refobjid else d.objid end
         join pg_catalog.pg_namespace z on z.oid = s.relnamespace
        where a.attrelid = c.oid and a.attname = 'id' and not a.attisdropped
        limit 1) q on true
