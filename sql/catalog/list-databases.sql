select d.id, d.name, d.settings, d.address from millrace_private.databases d
