select m.name, m.sha256 from millrace_private.migrations m
