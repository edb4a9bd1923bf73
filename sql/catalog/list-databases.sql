select d.id, d.name, d.settings, d.address, d.hostname from millrace_private.databases d
