select d.id, d.name, d.settings, d.address, d.hostname, d.managed_by, d.released, d.entry_name, d.version, d.updated_by, d.private_ok from millrace_private.databases d order by d.no
