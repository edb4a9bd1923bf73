-- What the configuration file of a start has made, and is the file's still; with the name of its entry, where that is another one.
select 'database' as type, d.name, d.entry_name as entry from millrace_private.databases d
 where d.managed_by = 'file' and not d.released and d.declared_from = 'start'
union all
select 'function', f.name, f.entry_name from millrace_private.functions f
 where f.managed_by = 'file' and not f.released and f.declared_from = 'start'
union all
select case when s.destination_database_id is null then 'sink' else 'change_retention' end, s.name, s.entry_name
  from millrace_private.sinks s
 where s.managed_by = 'file' and not s.released and s.declared_from = 'start'
union all
select 'token', t.name, null from millrace_private.api_tokens t
 where t.managed_by = 'file' and t.declared_from = 'start' and t.revoked_at is null
 order by type, name
