select millrace_private.publish_catalog() as generation
