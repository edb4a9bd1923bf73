lock table millrace_private.users in share row exclusive mode
