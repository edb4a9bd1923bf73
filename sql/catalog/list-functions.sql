select f.name, f.settings from millrace_private.functions f
