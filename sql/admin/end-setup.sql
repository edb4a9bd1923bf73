update millrace_private.installation i set setup_hash = null, setup_expires_at = null
