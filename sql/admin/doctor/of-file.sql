-- What the configuration file of a start has made, and is the file's still.
select 'database' as type, d.name from millrace_private.databases d
 where d.managed_by = 'file' and not d.released and d.declared_from = 'start'
union all
select 'function', f.name from millrace_private.functions f
 where f.managed_by = 'file' and not f.released and f.declared_from = 'start'
union all
select case when s.destination_database_id is null then 'sink' else 'change_retention' end, s.name
  from millrace_private.sinks s
 where s.managed_by = 'file' and not s.released and s.declared_from = 'start'
union all
select 'token', t.name from millrace_private.api_tokens t
 where t.managed_by = 'file' and t.declared_from = 'start' and t.revoked_at is null
 order by type, name
