select d.path as name, d.sha256 from millrace_private.definitions d
