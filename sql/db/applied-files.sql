select f.path as path, f.sha256 from millrace_private.schema_files f
