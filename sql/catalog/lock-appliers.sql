lock table millrace_private.lock_appliers in exclusive mode
