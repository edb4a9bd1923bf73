select f.id, f.name, f.settings, f.managed_by, f.released, f.entry_name, f.version, f.updated_by from millrace_private.functions f order by f.created_at, f.name
