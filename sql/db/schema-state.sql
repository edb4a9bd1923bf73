select s.version, s.serves from millrace_private.schema_state s
