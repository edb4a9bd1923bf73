select c.generation from millrace_private.catalog_state c
