select f.name, f.settings ->> 'code' as code from millrace_private.functions f where f.name = any ($1::text[])
