-- $1: of this name or id alone; null: all, without their code.
select f.id, f.name, case when $1::text is null then f.settings - 'code' else f.settings end as settings,
       coalesce(octet_length(f.settings ->> 'code'), 0) as code_bytes,
       f.managed_by, f.declared_from, f.entry_name, f.version, f.updated_by, f.created_at as inserted_at, f.updated_at,
       array(select s.name from millrace_private.sinks s
              where f.name in (s.settings ->> 'filter', s.settings ->> 'transform', s.settings ->> 'routing')
              order by s.name) as used_by
  from millrace_private.functions f
 where $1::text is null or f.name = $1::text or f.id::text = $1::text
 order by f.name
