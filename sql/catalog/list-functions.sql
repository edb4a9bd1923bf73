select f.name, f.settings, f.managed_by, f.released from millrace_private.functions f order by f.created_at, f.name
